import type { Database as Sqlite } from "bun:sqlite";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Config } from "./config/config";

/** The data folder's database, by drizzle; `$client` is the bare connection. */
export type Database = BunSQLiteDatabase & { $client: Sqlite };

/**
 * The first argument of nearly every function: settings, database, clock, log. It stays the same inside a transaction
 * (see database/transactions). State is kept in it or by it, not in variables of modules, so a test may run several.
 */
export interface Platen {
  readonly config: Config;
  readonly db: Database;
  /** Whether this process runs a command for whoever is at the machine, and serves nobody. */
  readonly isCommand?: boolean;
  /** The clock. One instant per unit of work: ask once, pass it on. */
  now(): Date;
  /** One line for the operator, on standard error. */
  log(line: string): void;
}
