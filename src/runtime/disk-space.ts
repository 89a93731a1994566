import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { MEGABYTE } from "../config/units";
import { diskFullError, folderNotWritableError } from "../errors";
import type { Platen } from "../platen";

/** Kept back for signing in, for deleting, and for the log's way into the database; in bytes. */
export const RESERVE_BYTES = 8 * MEGABYTE;
/** The disk counts as full where no more is left; in bytes. */
export const FULL_DISK_BYTES = MEGABYTE;

/** The file that holds the reserve until the disk is full. */
export function reserveFilePath(folder: string): string {
  return join(folder, ".reserve");
}

/** What this user may still write to the disk that the folder is on, in bytes. @throws Refusal where there is no folder */
export function freeDiskBytes(folder: string): number {
  if (!existsSync(folder)) throw folderNotWritableError();
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Of the whole disk, in bytes. */
export function totalDiskBytes(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return blocks * bsize;
}

/** To be called before anything is taken in that grows: texts, files. @throws Refusal where only the reserve is left, or no folder */
export function assertDiskSpace({ config: { data } }: Pick<Platen, "config">): void {
  if (freeDiskBytes(data) < RESERVE_BYTES + FULL_DISK_BYTES && !existsSync(reserveFilePath(data)))
    throw diskFullError();
}
