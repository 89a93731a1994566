/** Scripts by name, each bundled from its file below src/admin. */
export const ENTRY_POINTS = {
  frame: "layout/browser/frame.ts",
  "post-editor": "editor/browser/post-editor.ts",
  /** Prefetched, and run when needed. */
  "markdown-reader": "editor/browser/tools/markdown-parser.ts",
  keeping: "unsaved/browser/autosave.ts",
  "post-list": "posts/browser/list-comfort.ts",
  "post-panel": "editor/browser/post-panel.ts",
  "markdown-editor": "editor/browser/markdown-editor.ts",
  "accent-picking": "blogs/browser/accent-picking.ts",
  "media-library": "media/browser/library-comfort.ts",
  "job-progress": "jobs/browser/job-progress.ts",
  "own-time-zone": "setup/browser/own-time-zone.ts",
  "key-copying": "setup/browser/key-copying.ts",
  passkeys: "account/browser/passkey-asking.ts",
} as const satisfies Record<string, `${string}/browser/${string}.ts`>;

export type ScriptName = keyof typeof ENTRY_POINTS;
