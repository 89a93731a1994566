import { Database as Sqlite } from "bun:sqlite";
import { chmodSync, chownSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseFault } from "../errors";
import { syncPath } from "../media/files/media-folder";
import type { Database } from "../platen";

/** The database as it was at one moment, whole, in one file. */
export function snapshotFile(folder: string): string {
  return join(folder, "snapshot.db");
}

/**
 * Makes a snapshot in the place of the last one, which stays until the new one is written, read through and on the disk.
 * @throws DatabaseFault where what was written is damaged
 */
export function makeSnapshot(db: Database, folder: string): void {
  const unfinished = join(folder, ".snapshot.db");
  rmSync(unfinished, { force: true });
  try {
    db.$client.run("VACUUM INTO ?", [unfinished]);
    demandWhole(unfinished);
    chmodSync(unfinished, 0o600);
    // Typed by root, it belongs to whom the folder belongs to.
    const { uid, gid } = statSync(folder);
    if (process.getuid?.() === 0) chownSync(unfinished, uid, gid);
    syncPath(unfinished);
    renameSync(unfinished, snapshotFile(folder));
    syncPath(folder);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

function demandWhole(file: string): void {
  const written = new Sqlite(file, { readonly: true });
  try {
    const found = written.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get()?.quick_check;
    if (found !== "ok") throw new DatabaseFault(`what was read of platen.db is damaged (${found})`);
  } finally {
    written.close(false);
  }
}
