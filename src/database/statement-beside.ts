import { Database as Sqlite } from "bun:sqlite";

/** @returns how many rows the statement has changed, those of an index among them */
export function changesOf(client: Sqlite, statement: string): number {
  const changes = () => client.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
  const before = changes();
  client.query(statement).run();
  return changes() - before;
}

/**
 * The same on a connection of its own, for a thread. A power cut may undo it.
 * @param file of the database, which another connection of the same process has open: see `checkpoint`
 * @param patience with others that write, in milliseconds
 * @returns how many rows it has changed, and how long it took, in milliseconds
 */
export function runBeside(
  file: string,
  statement: string,
  patience: number,
): { changes: number; took: number } {
  using client = new Sqlite(file, { strict: true });
  client.run(`PRAGMA busy_timeout = ${patience}`);
  client.run("PRAGMA synchronous = NORMAL");
  // The log is moved at chosen moments only.
  client.run("PRAGMA wal_autocheckpoint = 0");
  const began = performance.now();
  return { changes: changesOf(client, statement), took: performance.now() - began };
}
