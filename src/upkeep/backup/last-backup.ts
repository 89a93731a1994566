import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveOwnerAndMode } from "../../media/files/file-ownership";
import type { Platen } from "../../platen";

/** The newest successful backup of this folder. */
interface LastBackup {
  /** Start time of the backup. */
  at: Date;
  place: string;
}

export function readLastBackup(data: string): LastBackup | null {
  try {
    const { at, place } = JSON.parse(readFileSync(fileIn(data), "utf8"));
    return { at: new Date(Date.parse(at) || 0), place };
  } catch {
    return null;
  }
}

/** Writes to a file, because a backup must not write to the database, whose disk may be full. */
export function saveLastBackup({ config: { data } }: Platen, last: LastBackup): void {
  const unfinished = `${fileIn(data)}.new`;
  writeFileSync(unfinished, JSON.stringify(last));
  giveOwnerAndMode(data, unfinished, 0o600);
  renameSync(unfinished, fileIn(data));
}

const fileIn = (data: string) => join(data, ".last-backup");
