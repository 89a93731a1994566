import { Database as Sqlite } from "bun:sqlite";

/**
 * Moves changes from the log into the database file, but for what readers need; nobody is waited for. Of other
 * connections in the same process, one at least must be open: SQLite moves all of the log when the last one is closed.
 * @param file of the database
 */
export function moveLog(file: string): void {
  using mover = new Sqlite(file, { strict: true });
  mover.run("PRAGMA synchronous = FULL");
  mover.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}
