import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Platen } from "../platen";
import { FULL, freeBytes, RESERVE, reserveFile } from "../runtime/disk-space";
import { giveToOwnerOf } from "../runtime/file-owner";

/** Kept back only where there is plenty. */
const KEPT_BACK_FROM = 10 * RESERVE;

/**
 * Keeps some of the disk back while there is plenty, and gives it back when there is nothing left: a full disk cannot be
 * cleared by an owner who cannot sign in to it. `step` is to be called every few seconds.
 */
export function diskReserve(
  platen: Platen,
  freeOnDisk = () => freeBytes(platen.config.data),
): { step(): void } {
  const { data } = platen.config;
  return {
    step() {
      const free = freeOnDisk();
      giveBackIfFull(data, platen.log, free);
      if (free >= KEPT_BACK_FROM && !existsSync(reserveFile(data))) keepBack(data);
    },
  };
}

/**
 * To be called before a server opens the folder, too: SQLite needs some room to look into the log.
 * @param log is told of it
 */
export function giveBackIfFull(folder: string, log: Platen["log"], free?: number): void {
  if (!existsSync(reserveFile(folder)) || (free ?? freeBytes(folder)) >= FULL) return;
  rmSync(reserveFile(folder));
  log(
    "The disk is full. 8 MB that Platen had kept back are free now, to sign in and to delete what is not needed: free some space.",
  );
}

function keepBack(folder: string): void {
  writeFileSync(reserveFile(folder), Buffer.alloc(RESERVE), { mode: 0o600 });
  giveToOwnerOf(folder, reserveFile(folder));
}
