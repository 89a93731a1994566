import type { Database as Sqlite } from "bun:sqlite";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Config } from "./config/config";

export type Database = BunSQLiteDatabase & { $client: Sqlite };

/**
 * Settings, database, clock and log: the first argument of nearly every function. Modules keep state per
 * Platen in a WeakMap, not in variables, so that tests can run several instances.
 */
export interface Platen {
  readonly config: Config;
  readonly db: Database;
  /** true in a command, which serves no requests. */
  readonly isCommand?: boolean;
  /** Call this function once per unit of work. */
  now(): Date;
  /** Writes a line for the operator to standard error. */
  log(line: string): void;
}
