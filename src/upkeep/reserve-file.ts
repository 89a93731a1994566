import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Platen } from "../platen";
import { FULL_DISK_BYTES, freeDiskBytes, RESERVE_BYTES, reserveFilePath } from "../runtime/disk-space";
import { chownToFolderOwner } from "../runtime/files";

const MIN_FREE_BYTES = 10 * RESERVE_BYTES;

/** Frees the reserved space when the disk is full, so that users can still delete things. */
export function diskReserve(platen: Platen, freeOnDisk = () => freeDiskBytes(platen.config.data)) {
  const { data } = platen.config;
  return {
    step() {
      const free = freeOnDisk();
      freeReserveIfFull(data, platen.log, free);
      if (free < MIN_FREE_BYTES || existsSync(reserveFilePath(data))) return;
      writeFileSync(reserveFilePath(data), Buffer.alloc(RESERVE_BYTES), { mode: 0o600 });
      chownToFolderOwner(data, reserveFilePath(data));
    },
  };
}

/** Also call this before a server opens the folder, because SQLite needs space to read the WAL. */
export function freeReserveIfFull(folder: string, log: Platen["log"], free?: number): void {
  if (!existsSync(reserveFilePath(folder)) || (free ?? freeDiskBytes(folder)) >= FULL_DISK_BYTES) return;
  rmSync(reserveFilePath(folder));
  log(
    "The disk is full. Platen has freed its reserve of 8 MB, so that you can sign in and delete things. Free some space.",
  );
}
