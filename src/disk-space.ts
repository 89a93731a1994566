import { statfsSync } from "node:fs";

/** What this user may still write to the disk that the folder is on, in bytes. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
