import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Platen } from "../platen";
import { FULL_DISK_BYTES, freeDiskBytes, RESERVE_BYTES, reserveFilePath } from "../runtime/disk-space";
import { chownToFolderOwner } from "../runtime/files";

/** Kept back only where there is plenty. */
const KEPT_BACK_FROM = 10 * RESERVE_BYTES;

/**
 * Keeps some of the disk back while there is plenty, and gives it back when there is nothing left: a full disk cannot be
 * cleared by an owner who cannot sign in to it. `step` is to be called every few seconds.
 */
export function diskReserve(
  platen: Platen,
  freeOnDisk = () => freeDiskBytes(platen.config.data),
): { step(): void } {
  const { data } = platen.config;
  return {
    step() {
      const free = freeOnDisk();
      giveBackIfFull(data, platen.log, free);
      if (free >= KEPT_BACK_FROM && !existsSync(reserveFilePath(data))) keepBack(data);
    },
  };
}

/**
 * To be called before a server opens the folder, too: SQLite needs some room to look into the log.
 * @param log is told of it
 */
export function giveBackIfFull(folder: string, log: Platen["log"], free?: number): void {
  if (!existsSync(reserveFilePath(folder)) || (free ?? freeDiskBytes(folder)) >= FULL_DISK_BYTES) return;
  rmSync(reserveFilePath(folder));
  log(
    "The disk is full. 8 MB that Platen had kept back are free now, to sign in and to delete what is not needed: free some space.",
  );
}

function keepBack(folder: string): void {
  writeFileSync(reserveFilePath(folder), Buffer.alloc(RESERVE_BYTES), { mode: 0o600 });
  chownToFolderOwner(folder, reserveFilePath(folder));
}
