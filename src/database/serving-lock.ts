import { SQLiteError, Database as Sqlite } from "bun:sqlite";
import { join } from "node:path";
import { DatabaseFault } from "../errors";
import { giveToOwnerOf, makeFolder } from "./open";

const LOCK_FILE = ".serving";

/**
 * Makes this process the only one that serves the folder, until it ends in whatever way: SQLite's lock on an empty
 * database is the system's, which no crash leaves behind. Commands take none, and work beside a server.
 * The file must not be opened by other means in this process: closing it would give the lock up (fcntl(2)).
 * @throws DatabaseFault where another process serves it
 */
export function lockForServing(folder: string): void {
  makeFolder(folder);
  const file = join(folder, LOCK_FILE);
  const lock = new Sqlite(file, { create: true });
  try {
    giveToOwnerOf(folder, file);
    lock.run("BEGIN EXCLUSIVE");
    locks.push(lock);
  } catch (fault) {
    lock.close();
    if (!(fault instanceof SQLiteError && fault.code === "SQLITE_BUSY")) throw fault;
    throw new DatabaseFault(
      `Another Platen is serving ${folder}; stop that one first, or name another folder with --data.`,
    );
  }
}

/** Kept from being collected as garbage. */
const locks: Sqlite[] = [];
