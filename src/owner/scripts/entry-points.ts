/** Source files by script name, relative to src/admin. */
export const ENTRY_POINTS = {
  frame: "browser/every-page.ts",
  "post-editor": "editor/browser/post-editor.ts",
  /** Prefetched, and loaded by another script when needed. */
  "markdown-reader": "editor/browser/markdown-parser.ts",
  autosave: "editor/browser/autosave.ts",
  "post-list": "browser/rows-and-selection.ts",
  "post-panel": "editor/browser/post-panel.ts",
  "markdown-editor": "editor/browser/markdown-editor.ts",
  "accent-picking": "browser/accent-picker.ts",
  "media-library": "browser/media-library.ts",
  "job-progress": "browser/job-progress.ts",
  "own-time-zone": "browser/own-time-zone.ts",
  passkeys: "browser/passkeys.ts",
} as const satisfies Record<string, `${string}browser/${string}.ts`>;

export type ScriptName = keyof typeof ENTRY_POINTS;
