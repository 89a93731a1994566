import { join } from "node:path";
import { replaceWholeCopy } from "../../database/whole-copy";
import type { Database } from "../../platen";

/** The database as it was at one moment, whole, in one file. */
export function snapshotFile(folder: string): string {
  return join(folder, "snapshot.db");
}

/** @throws DatabaseFault where the database, or what was written, is damaged */
export function makeSnapshot(db: Database, folder: string): void {
  replaceWholeCopy(db.$client, snapshotFile(folder));
}
