import { closeSync, fsyncSync, openSync } from "node:fs";
import { open } from "node:fs/promises";

/** Makes a file, or the names in a folder, survive a power cut. */
export function syncPath(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Has the disk begin with a file that is to be synced soon, while others' work goes on. What goes wrong is met again then. */
export async function syncBeside(path: string): Promise<void> {
  try {
    await using opened = await open(path, "r");
    await opened.sync();
  } catch {
    // See above.
  }
}
