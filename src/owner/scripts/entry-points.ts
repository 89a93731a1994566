/** Source files by script name, relative to src/admin. */
export const ENTRY_POINTS = {
  frame: "layout/browser/frame.ts",
  "post-editor": "editor/browser/post-editor.ts",
  /** Prefetched, and loaded by another script when needed. */
  "markdown-reader": "editor/browser/pasted-markdown.ts",
  autosave: "editor/browser/autosave.ts",
  "post-list": "posts/browser/post-list.ts",
  "post-panel": "editor/browser/post-panel.ts",
  "markdown-editor": "editor/browser/markdown-editor.ts",
  "accent-picking": "blogs/browser/accent-picker.ts",
  "media-library": "media/browser/media-library.ts",
  "job-progress": "jobs/browser/job-progress.ts",
  "own-time-zone": "setup/browser/time-zone.ts",
  passkeys: "account/browser/passkeys.ts",
} as const satisfies Record<string, `${string}/browser/${string}.ts`>;

export type ScriptName = keyof typeof ENTRY_POINTS;
