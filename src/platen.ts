import type { Database as Sqlite } from "bun:sqlite";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Config } from "./config/config";

/** The database through drizzle; `$client` is the SQLite connection. */
export type Database = BunSQLiteDatabase & { $client: Sqlite };

/**
 * Settings, database, clock and log: the first argument of nearly every function.
 * State belongs to it (WeakMap), not to module variables, so that tests can run several.
 */
export interface Platen {
  readonly config: Config;
  readonly db: Database;
  /** True in a command, which serves no requests. */
  readonly isCommand?: boolean;
  /** The clock. Call once per unit of work. */
  now(): Date;
  /** Writes a line for the operator to standard error. */
  log(line: string): void;
}
