import { chownSync, closeSync, fsyncSync, openSync, statSync } from "node:fs";
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
export async function startSync(path: string): Promise<void> {
  try {
    await using opened = await open(path, "r");
    await opened.sync();
  } catch {
    // See above.
  }
}

/** Root leaves nothing behind that the folder's own user could not open. */
export function chownToFolderOwner(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}
