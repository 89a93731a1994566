import { Database as Sqlite } from "bun:sqlite";

/**
 * Copies changes from the WAL into the database file, up to the oldest read snapshot that is open. Waits for nobody.
 * Another connection of this process must be open: closing the last one checkpoints everything.
 * @param file path of the database
 */
export function checkpoint(file: string): void {
  using connection = new Sqlite(file, { strict: true });
  connection.run("PRAGMA synchronous = FULL");
  connection.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}
