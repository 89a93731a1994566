import { chownSync, closeSync, fsyncSync, openSync, readdirSync, statSync } from "node:fs";
import { open } from "node:fs/promises";

/** Syncs a file, or the entries of a folder. */
export function syncPath(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Syncs without blocking, so that a later blocking sync is fast. Only the later sync reports errors. */
export async function startSync(path: string): Promise<void> {
  try {
    await using opened = await open(path, "r");
    await opened.sync();
  } catch {
    // The later sync reports the error.
  }
}

/** Gives files created by root to the folder's owner. */
export function chownToFolderOwner(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}

/** Returns the names in a folder; none if there is no such folder. */
export function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(folder) : [];
}

export function modificationTime(file: string): Date | null {
  return statSync(file, { throwIfNoEntry: false })?.mtime ?? null;
}
