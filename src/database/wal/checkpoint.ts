import { Database as Sqlite } from "bun:sqlite";

/**
 * Checkpoints the WAL up to the oldest open read snapshot, without waiting for readers or writers.
 * Another connection of this process must be open, because closing the last one checkpoints everything.
 */
export function checkpoint(file: string): void {
  using connection = new Sqlite(file, { strict: true });
  connection.run("PRAGMA synchronous = FULL");
  connection.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}
