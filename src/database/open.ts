import { Database as Sqlite } from "bun:sqlite";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { DatabaseError } from "../errors";
import type { Database } from "../platen";
import { databaseTemplate } from "../runtime/embedded-files";
import { chownToFolderOwner, syncPath } from "../runtime/files";
import { applyMigrations } from "./migrate";

/** SQLite's default of 2 MB is too small for lists of a few hundred posts. */
const CACHE_KIB = 8000;

export const LOCK_TIMEOUT_MS = 10_000;
/** Short, because a waiting statement blocks all requests. `waitForLock` waits without blocking. */
const SERVER_LOCK_TIMEOUT_MS = 40;

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Creates the database if missing, and applies migrations. Automatic checkpoints are off, because they would
 * make plain copies of a running server's folder inconsistent (see `WalKeeper`).
 * @throws DatabaseError (see `applyMigrations` and `assertPrivateFolder`)
 */
export function openDatabase(folder: string, keepOthersOff = () => () => {}): Database {
  makeDataFolder(folder);
  const file = join(folder, "platen.db");
  if (databaseTemplate !== null && !existsSync(file)) copyTemplate(databaseTemplate, folder, file);
  const client = new Sqlite(file, { create: true, strict: true });
  chmodSync(file, 0o600);
  chownToFolderOwner(folder, file);
  client.run(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`);
  enableWal(client);
  client.run("PRAGMA synchronous = FULL");
  client.run(`PRAGMA cache_size = -${CACHE_KIB}`);
  client.run("PRAGMA wal_autocheckpoint = 0");
  const db = wrapClient(client);
  // A migration may rebuild a table. With foreign keys on, dropping the old table would cascade.
  client.run("PRAGMA foreign_keys = OFF");
  applyMigrations(db, folder, keepOthersOff);
  client.run("PRAGMA foreign_keys = ON");
  return db;
}

/** Links a synced copy into place, so that no other process sees an incomplete file. */
function copyTemplate(template: string, folder: string, file: string): void {
  const copy = `${file}.${process.pid}.new`;
  try {
    writeFileSync(copy, readFileSync(template), { mode: 0o600 });
    syncPath(copy);
    linkSync(copy, file);
    syncPath(folder);
  } catch {
    // Migrations create the database instead.
  } finally {
    rmSync(copy, { force: true });
  }
}

export function useServerBusyTimeout({ $client }: Database): void {
  $client.run(`PRAGMA busy_timeout = ${SERVER_LOCK_TIMEOUT_MS}`);
}

export function openReadOnly(file: string): Database {
  const client = new Sqlite(file, { readonly: true, strict: true });
  // A server that starts after a crash locks readers out while it recovers the WAL.
  client.run(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`);
  return wrapClient(client);
}

/**
 * SQLite recompiles a statement if its plan depends on a parameter's value, unless the parameter is written
 * `+?`.
 */
function wrapClient(client: Sqlite): Database {
  const db = drizzle(client, { casing: "snake_case" });
  const { dialect } = db as unknown as { dialect: { escapeParam(): string } };
  dialect.escapeParam = () => "+?";
  return db;
}

export function makeDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertPrivateFolder(folder);
}

/**
 * @throws DatabaseError if other users can write to the folder, because those users could replace the
 * database
 */
export function assertPrivateFolder(folder: string): void {
  if (statSync(folder).mode & WRITABLE_BY_OTHERS)
    throw new DatabaseError(
      `Other users can write to ${folder}; remove that permission: chmod go-w ${folder}`,
    );
}

/** The pragma ignores busy_timeout, so this function retries. */
function enableWal(client: Sqlite): void {
  for (const until = Date.now() + LOCK_TIMEOUT_MS; journalMode(client) !== "wal"; )
    try {
      client.run("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (Date.now() > until) throw error;
      Bun.sleepSync(10);
    }
}

function journalMode(client: Sqlite): string | undefined {
  return client.query<{ journal_mode: string }, []>("PRAGMA journal_mode").get()?.journal_mode;
}

/** Keeps the connections from being garbage-collected. */
const lastConnections: Sqlite[] = [];

/**
 * Closes the database without a checkpoint, because a copy of the folder may be in progress. SQLite
 * checkpoints and deletes the WAL when the last connection closes, unless that connection is read-only.
 * Therefore, a read-only connection stays open. Its transaction keeps SQLite from closing this connection
 * when the process exits.
 */
export function closeDatabase(db: Database): void {
  const client = db.$client;
  try {
    if (journalMode(client) === "wal") {
      beginReadTransaction(client);
      const last = new Sqlite(client.filename, { readonly: true });
      lastConnections.push(last);
      beginReadTransaction(last);
    }
  } catch {
    // The database cannot be read. It is closed all the same.
  }
  client.close(false);
}

export function beginReadTransaction(connection: Sqlite): void {
  if (!connection.inTransaction) connection.run("BEGIN");
  // BEGIN alone takes no snapshot; the first read does.
  connection.run("SELECT 1 FROM sqlite_master LIMIT 1");
}
