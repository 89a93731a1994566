import type { Database as Sqlite } from "bun:sqlite";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Config } from "./config/config";

/** The database as a drizzle object; `$client` is the SQLite connection. */
export type Database = BunSQLiteDatabase & { $client: Sqlite };

/**
 * Settings, database, clock and log: the first argument of nearly every function.
 * State is kept per Platen (WeakMap), not in module variables, so that tests can run several.
 */
export interface Platen {
  readonly config: Config;
  readonly db: Database;
  /** True in a command, which serves no requests. */
  readonly isCommand?: boolean;
  /** Returns the current time. Call it once per unit of work. */
  now(): Date;
  /** Writes a line for the operator to standard error. */
  log(line: string): void;
}
