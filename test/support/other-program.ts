import { Database } from "bun:sqlite";
import { join } from "node:path";
import { HOUR } from "../../src/config/units";

/** The database of a folder, beside a server: waits, however busy the machine is, for what that writes at the moment. */
export function databaseOf(data: string): Database {
  const database = new Database(join(data, "platen.db"));
  database.run(`PRAGMA busy_timeout = ${HOUR}`);
  return database;
}

/** Another program's transaction, which keeps everybody else from writing until the test lets go of it. */
export function lockedByOther(data: string): Disposable {
  const other = databaseOf(data);
  other.run("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => other.close() };
}

/** What keeps readers off as well: a program that reads the log after a crash, for as long as that takes. */
export function readingLogOf(data: string): Disposable {
  const other = databaseOf(data);
  other.run("PRAGMA locking_mode = EXCLUSIVE");
  other.run("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => other.close(true) };
}
