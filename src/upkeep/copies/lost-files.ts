import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { closeDatabase } from "../../database/open";
import type { Platen } from "../../platen";
import { makeSnapshot } from "./snapshot-file";

const FILES = ["platen.db", "platen.db-wal"];

/** Notices when a file of the database is deleted, emptied or replaced under the server, which goes on with what it had open. */
export function lostFiles({ config: { data } }: Platen): { lost(): string | null } {
  const known = new Map(FILES.map((name) => [name, numberOf(join(data, name))]));
  return { lost: () => FILES.find((name) => numberOf(join(data, name)) !== known.get(name)) ?? null };
}

/** Of the file on its disk; undefined where there is none, or no database in it. */
function numberOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  const isEmptied = found?.size === 0 && file.endsWith(".db");
  return isEmptied ? undefined : found?.ino;
}

export const LOST_LOG =
  "platen.db-wal was deleted, or another put in its place, while Platen was running. What was in it is in platen.db now. Platen ends: start it again, and leave that file alone.";

/** A log that came in the place of the lost one, a command's for example, began from less than the database has now. */
export function putOtherLogAside({ config: { data } }: Platen): void {
  const log = join(data, "platen.db-wal");
  if (existsSync(log)) renameSync(log, `${log}.other`);
  rmSync(join(data, "platen.db-shm"), { force: true });
}

/** Writes what this process still sees of a database whose file is gone to snapshot.db. To be called before it ends. */
export function saveLostDatabase(platen: Platen): void {
  const happened = "platen.db was deleted or emptied, or another put in its place, while Platen was running.";
  try {
    makeSnapshot(platen.db, platen.config.data);
    platen.log(
      `${happened} All that was in it is in snapshot.db. Platen ends. To go on with it, type: platen recover`,
    );
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : fault;
    platen.log(`${happened} What was in it could not be written to snapshot.db: ${reason}. Platen ends.`);
    // Keeps the log. Beside another database it would be taken for that one's.
    if (numberOf(platen.db.$client.filename) === undefined) closeDatabase(platen.db);
  }
}
