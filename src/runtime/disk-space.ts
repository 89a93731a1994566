import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { MEGABYTE } from "../config/units";
import { fullDisk, unwritableFolder } from "../errors";
import type { Platen } from "../platen";

/** Kept back for signing in, for deleting, and for the log's way into the database; in bytes. */
export const RESERVE = 8 * MEGABYTE;
/** The disk counts as full where no more is left; in bytes. */
export const FULL = MEGABYTE;

/** The file that holds the reserve until the disk is full. */
export function reserveFile(folder: string): string {
  return join(folder, ".reserve");
}

/** What this user may still write to the disk that the folder is on, in bytes. @throws Refusal where there is no folder */
export function freeBytes(folder: string): number {
  if (!existsSync(folder)) throw unwritableFolder();
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Of the whole disk, in bytes. */
export function diskBytes(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return blocks * bsize;
}

/** To be called before anything is taken in that grows: texts, files. @throws Refusal where only the reserve is left, or no folder */
export function demandRoom({ config: { data } }: Pick<Platen, "config">): void {
  if (freeBytes(data) < RESERVE + FULL && !existsSync(reserveFile(data))) throw fullDisk();
}
