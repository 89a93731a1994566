import type { Config } from "./config";
import type { Database } from "./database/transactions";

/**
 * What every function of the product is handed as its first argument: the settings, the database, the clock.
 * Nothing in Platen lives in a module-level variable, so a test may run several at once.
 */
export interface Platen {
  readonly config: Config;
  readonly db: Database;
  /** The clock. One instant per unit of work: ask once, pass it on. */
  now(): Date;
  /** One line for the operator, on standard error. */
  log(line: string): void;
}
