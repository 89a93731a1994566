import { chownSync, closeSync, fsyncSync, openSync, statSync } from "node:fs";
import { open } from "node:fs/promises";

/** Syncs a file, or the names in a folder. */
export function syncPath(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

/** Syncs without blocking, before a later sync that reports errors. */
export async function startSync(path: string): Promise<void> {
  try {
    await using opened = await open(path, "r");
    await opened.sync();
  } catch {
    // The later sync fails too.
  }
}

/** Gives files created by root to the folder's owner. */
export function chownToFolderOwner(folder: string, file: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  chownSync(file, uid, gid);
}
