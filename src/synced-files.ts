import { closeSync, fsyncSync, openSync } from "node:fs";

/** Makes a file, or the names in a folder, survive a power cut. */
export function syncPath(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
