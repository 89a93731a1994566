import { Database as Sqlite } from "bun:sqlite";
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseFault } from "../../errors";
import { ownLike } from "../../media/files/kept-copies";
import { syncPath } from "../../media/files/media-folder";
import type { Database } from "../../platen";
import { damageIn } from "./wholeness";

/** The database as it was at one moment, whole, in one file. */
export function snapshotFile(folder: string): string {
  return join(folder, "snapshot.db");
}

/**
 * Makes a snapshot in the place of the last one, which stays until the new one is written, read through and on the disk.
 * @throws DatabaseFault where the database, or what was written, is damaged
 */
export function makeSnapshot(db: Database, folder: string): void {
  const unfinished = join(folder, ".snapshot.db");
  rmSync(unfinished, { force: true });
  try {
    writeWholeCopy(db, unfinished);
    ownLike(folder, unfinished, 0o600);
    renameSync(unfinished, snapshotFile(folder));
    syncPath(folder);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/**
 * Writes the database as it is at one moment to a file that is not there yet, and syncs it. Both are read through; nobody
 * is kept waiting.
 * @throws DatabaseFault where the database, or what was written, is damaged
 */
export function writeWholeCopy(db: Database, file: string): void {
  // What is torn can look whole when it is written anew, with rows missing.
  demandWhole(db.$client, "platen.db");
  db.$client.run("VACUUM INTO ?", [file]);
  demandWholeFile(file);
  syncPath(file);
}

function demandWhole(client: Sqlite, name: string): void {
  const fault = damageIn(client);
  if (fault !== null) throw new DatabaseFault(`${name} is damaged (${fault})`);
}

/** @throws DatabaseFault */
export function demandWholeFile(file: string): void {
  const written = new Sqlite(file, { readonly: true });
  try {
    demandWhole(written, "what was written");
  } finally {
    written.close(false);
  }
}
