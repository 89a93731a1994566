import { existsSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MEGABYTE } from "../config/units";
import { diskFullError, folderNotWritableError } from "../errors";
import type { Platen } from "../platen";
import { chownToFolderOwner } from "./files";

/** Space that remains for signing in, deleting and checkpoints when the disk is full. */
export const RESERVE_BYTES = 8 * MEGABYTE;
const FULL_DISK_BYTES = MEGABYTE;

function reserveFilePath(folder: string): string {
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

const MIN_FREE_BYTES = 10 * RESERVE_BYTES;

/** Frees the reserved space when the disk is full, so that users can still delete things. */
export function updateDiskReserve({ config, log }: Platen, free = freeDiskBytes(config.data)): void {
  freeReserveIfFull(config.data, log, free);
  const file = reserveFilePath(config.data);
  if (free < MIN_FREE_BYTES || existsSync(file)) return;
  writeFileSync(file, Buffer.alloc(RESERVE_BYTES), { mode: 0o600 });
  chownToFolderOwner(config.data, file);
}

/** Also call this before a server opens the folder, because SQLite needs space to read the WAL. */
export function freeReserveIfFull(folder: string, log: Platen["log"], free?: number): void {
  if (!existsSync(reserveFilePath(folder)) || (free ?? freeDiskBytes(folder)) >= FULL_DISK_BYTES) return;
  rmSync(reserveFilePath(folder));
  log(
    "The disk is full. Platen has freed its reserve of 8 MB, so that you can sign in and delete things. Free some space.",
  );
}
