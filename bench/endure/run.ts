import type { dice } from "../../test/support/dice";
import type { Ledger } from "./ledger";
import type { Program } from "./program";

export interface Run {
  program: Program;
  ledger: Ledger;
  key: string;
  dice: ReturnType<typeof dice>;
  copiesFolder: string;
  /** Average rest of writers in milliseconds. */
  pace: number;
  tally: Tally;
}

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
