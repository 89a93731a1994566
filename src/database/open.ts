import { Database as Sqlite } from "bun:sqlite";
import { chmodSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { DatabaseFault } from "../errors";
import type { Database } from "../platen";
import { applyMigrations } from "./migrate";

/** How long a statement waits for another process's transaction, in milliseconds. */
const WAIT_FOR_LOCK = 10_000;

/** Of a folder's mode: who may write into it can put another database there. */
const WRITABLE_BY_OTHERS = 0o002;

/**
 * Opens the data folder's database, making folder and file where they are missing, and brings it up to date.
 * Acknowledged means durable: every commit is synced. Checkpoints are chosen moments only (see upkeep/checkpoints),
 * so that a plain copy of the folder taken while the server writes is a whole one.
 * @throws DatabaseFault where the file is of a newer Platen, or is none of ours, or everybody can write to the folder
 */
export function openDatabase(folder: string): Database {
  makeFolder(folder);
  const file = join(folder, "platen.db");
  const client = new Sqlite(file, { create: true, strict: true });
  chmodSync(file, 0o600);
  client.run(`PRAGMA busy_timeout = ${WAIT_FOR_LOCK}`);
  useWriteAheadLog(client);
  client.run("PRAGMA synchronous = FULL");
  client.run("PRAGMA wal_autocheckpoint = 0");
  const db = drizzle(client, { casing: "snake_case" });
  // Off while tables may be rebuilt: SQLite would cascade the dropping of the old one (its "12 steps").
  client.run("PRAGMA foreign_keys = OFF");
  applyMigrations(db, folder);
  client.run("PRAGMA foreign_keys = ON");
  return db;
}

/** Makes the data folder, mode 0700, where it is missing. @throws DatabaseFault where everybody can write to it */
export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (statSync(folder).mode & WRITABLE_BY_OTHERS)
    throw new DatabaseFault(
      `Anybody on this machine can write to ${folder}; take that away first: chmod o-w ${folder}`,
    );
}

/** The mode stays with the file. Changing it does not wait for other processes' locks, so it is tried again. */
function useWriteAheadLog(client: Sqlite): void {
  const mode = () => (client.query("PRAGMA journal_mode").get() as { journal_mode: string }).journal_mode;
  for (const until = Date.now() + WAIT_FOR_LOCK; mode() !== "wal"; Bun.sleepSync(10))
    try {
      client.run("PRAGMA journal_mode = WAL");
    } catch (fault) {
      if (Date.now() > until) throw fault;
    }
}

export function closeDatabase(db: Database): void {
  db.$client.close(false);
}
