import type { dice } from "../../test/support/dice";
import type { Ledger } from "./ledger";
import type { Program } from "./program";

/** What everybody who takes part is given. */
export interface Run {
  program: Program;
  ledger: Ledger;
  /** The owner's API key. */
  key: string;
  /** One's own. */
  dice: ReturnType<typeof dice>;
  /** The folder that copies and backups are made in. */
  beside: string;
  /** How long writers rest between writes, in milliseconds, on average. */
  pace: number;
  tally: Tally;
}

/** How often what was done. */
export interface Tally {
  kill: number;
  stop: number;
  read: number;
  copies: number;
  backups: number;
  snapshots: number;
  checks: number;
  commands: number;
}
