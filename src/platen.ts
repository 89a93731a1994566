import type { Database as Sqlite } from "bun:sqlite";
import type { BunSQLiteDatabase } from "drizzle-orm/bun-sqlite";
import type { Config } from "./config/config";

export type Database = BunSQLiteDatabase & { $client: Sqlite };

/**
 * Keep the state of a module in a WeakMap with the Platen as its key: tests run several instances in a
 * process.
 */
export interface Platen {
  readonly config: Config;
  readonly db: Database;
  /** true in commands that `withPlaten` runs; undefined in the server. */
  readonly isCommand?: boolean;
  now(): Date;
  log(line: string): void;
}
