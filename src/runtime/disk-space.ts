import { existsSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { MEGABYTE } from "../config/units";
import { diskFullError, folderNotWritableError } from "../errors";
import type { Platen } from "../platen";

/** Space that remains for signing in, deleting and checkpoints when the disk is full. */
export const RESERVE_BYTES = 8 * MEGABYTE;
export const FULL_DISK_BYTES = MEGABYTE;

export function reserveFilePath(folder: string): string {
  return join(folder, ".reserve");
}

/** @throws Refusal (unwritable) if the folder is missing */
export function freeDiskBytes(folder: string): number {
  if (!existsSync(folder)) throw folderNotWritableError();
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

export function totalDiskBytes(folder: string): number {
  const { blocks, bsize } = statfsSync(folder);
  return blocks * bsize;
}

/** For disks below 10 GB, LOW_DISK_SHARE is the limit instead. */
const LOW_DISK_BYTES = 500 * MEGABYTE;
const LOW_DISK_SHARE = 0.05;

export function isDiskNearlyFull(folder: string): boolean {
  return freeDiskBytes(folder) < Math.min(LOW_DISK_BYTES, totalDiskBytes(folder) * LOW_DISK_SHARE);
}

/** @throws Refusal if the disk is nearly full and the reserve file was freed, or if the folder is missing */
export function assertDiskSpace({ config: { data } }: Pick<Platen, "config">): void {
  if (freeDiskBytes(data) < RESERVE_BYTES + FULL_DISK_BYTES && !existsSync(reserveFilePath(data)))
    throw diskFullError();
}
