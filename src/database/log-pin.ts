import { Database as Sqlite } from "bun:sqlite";
import type { Database } from "../platen";
import { beginToRead, WAIT_FOR_LOCK } from "./open";

export interface LogPin {
  release(): void;
}

/**
 * Begins to read on a connection of its own, and goes on until it is released. Where the log holds something that is not
 * in the database file yet, SQLite meanwhile moves nothing there that is written from now on, and does not start the log
 * over. Where it holds nothing such, SQLite moves nothing at all, and starts the log over with the next change.
 */
export function pinLog(db: Database): LogPin {
  const reader = new Sqlite(db.$client.filename, { readonly: true, strict: true });
  reader.run(`PRAGMA busy_timeout = ${WAIT_FOR_LOCK}`);
  beginToRead(reader);
  return { release: () => reader.close(true) };
}
