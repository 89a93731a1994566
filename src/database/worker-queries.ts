import { Database as Sqlite } from "bun:sqlite";
import { SECOND } from "../config/units";
import { busy } from "../errors";
import type { Platen } from "../platen";
import { JobLimitExceeded, workerQueues } from "../worker-queue";

const DEADLINE_MS = 2 * SECOND;
const RETRY_AFTER_SECONDS = 5;

/**
 * Runs queries that may read many rows in a worker. The queries see committed data only, so do not call this
 * function inside a transaction.
 * @param source name of the requester; sources take turns
 * @throws Refusal (busy) after two seconds of CPU time, or if the queue is full or too slow
 */
export async function readInWorker<Rows extends unknown[]>(
  { db }: Pick<Platen, "db">,
  queries: ReadQuery[],
  source: string,
): Promise<{ [At in keyof Rows]: Rows[At][] }> {
  const cost = { within: DEADLINE_MS, characters: 0, source };
  const { filename } = db.$client;
  try {
    const rows = await workerQueues.reader.run<typeof runReadOnly>("runReadOnly", cost, filename, queries);
    return rows as { [At in keyof Rows]: Rows[At][] };
  } catch (error) {
    if (error instanceof JobLimitExceeded)
      throw busy("This search took too long. Try fewer or longer words.", RETRY_AFTER_SECONDS);
    throw error;
  }
}

/** The names in `values` lack the `$` of the SQL parameters. */
export interface ReadQuery {
  sql: string;
  values: Record<string, string | number | null>;
}

let readConnection: Sqlite | null = null;

/** Runs in a worker (see `readInWorker`). */
export function runReadOnly(file: string, queries: ReadQuery[]): unknown[][] {
  if (readConnection?.filename !== file) {
    readConnection?.close(false);
    readConnection = new Sqlite(file, { readonly: true, strict: true });
  }
  const reader = readConnection;
  return queries.map(({ sql, values }) => reader.query(sql).all(values));
}

/**
 * Checkpoints the WAL up to the oldest open read snapshot, without waiting for readers or writers.
 * Another connection of this process must be open, because closing the last one checkpoints everything.
 */
export function checkpoint(file: string): void {
  using connection = new Sqlite(file, { strict: true });
  connection.run("PRAGMA synchronous = FULL");
  connection.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}
