import { Database } from "bun:sqlite";
import { join } from "node:path";
import { HOUR } from "../../src/config/units";

/** Opens the database next to a running server, and waits for its locks. */
export function openWithoutPlaten(data: string): Database {
  const database = new Database(join(data, "platen.db"));
  database.run(`PRAGMA busy_timeout = ${HOUR}`);
  return database;
}

/** Holds a write lock like another program, until the test releases it. */
export function lockDatabase(data: string): Disposable {
  const other = openWithoutPlaten(data);
  other.run("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => other.close() };
}

/** Holds an exclusive lock like WAL recovery after a crash, which blocks readers too. */
export function lockForRecovery(data: string): Disposable {
  const other = openWithoutPlaten(data);
  other.run("PRAGMA locking_mode = EXCLUSIVE");
  other.run("BEGIN IMMEDIATE");
  return { [Symbol.dispose]: () => other.close(true) };
}
