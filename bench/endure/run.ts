import type { dice } from "../../test/support/dice";
import type { Ledger } from "./ledger";
import type { Program } from "./program";

/** Context of every participant. */
export interface Run {
  program: Program;
  ledger: Ledger;
  /** The owner's API key. */
  key: string;
  /** Random numbers of this participant. */
  dice: ReturnType<typeof dice>;
  /** Folder for copies and backups. */
  copiesFolder: string;
  /** Average rest of writers in milliseconds. */
  pace: number;
  tally: Tally;
}

/** Counts of completed actions. */
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
