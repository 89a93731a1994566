import { Database as Sqlite } from "bun:sqlite";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { DatabaseError } from "../errors";
import type { Database } from "../platen";
import { chownToFolderOwner, syncPath } from "../runtime/files";
import { finishedDatabase } from "./carried/finished-database";
import { applyMigrations } from "./migrate";

/** Of pages that SQLite keeps in memory, in KiB: what lists show of a few hundred posts, which 2 MB by itself does not hold. */
const CACHE = 8000;

/** How long a statement waits for another process's transaction, in milliseconds. */
export const LOCK_TIMEOUT_MS = 10_000;
/** The same in a server, whose readers all wait with it. Before it writes, it calls `waitForLock`, so they seldom do. */
const SERVER_WAITS_FOR_LOCK = 40;

/** Of a folder's mode, its group or everybody: who may write into it can put another database there. */
const WRITABLE_BY_OTHERS = 0o022;

/**
 * Opens the data folder's database, making folder and file where they are missing, and brings it up to date.
 * Acknowledged means durable: every commit is synced. There are no automatic checkpoints (see wal/wal-keeper.ts), so that a
 * plain copy of the folder is whole while the server writes.
 * @param keepOthersOff see `applyMigrations`
 * @throws DatabaseError where the file is of a newer Platen, or is none of ours, or others can write to the folder
 */
export function openDatabase(folder: string, keepOthersOff = () => () => {}): Database {
  makeDataFolder(folder);
  const file = join(folder, "platen.db");
  if (finishedDatabase !== null && !existsSync(file)) copyFinished(finishedDatabase, folder, file);
  const client = new Sqlite(file, { create: true, strict: true });
  chmodSync(file, 0o600);
  chownToFolderOwner(folder, file);
  client.run(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`);
  useWriteAheadLog(client);
  client.run("PRAGMA synchronous = FULL");
  client.run(`PRAGMA cache_size = -${CACHE}`);
  client.run("PRAGMA wal_autocheckpoint = 0");
  const db = queriesOn(client);
  // Off while tables may be rebuilt: SQLite would cascade the dropping of the old one (its "12 steps").
  client.run("PRAGMA foreign_keys = OFF");
  applyMigrations(db, folder, keepOthersOff);
  client.run("PRAGMA foreign_keys = ON");
  return db;
}

/**
 * Whole and on the disk before it has its name, which another process may have given to one of its own meanwhile. Where that
 * does not work, on a full disk or one without links, SQLite makes the file, and the migrations what is in it.
 */
function copyFinished(finished: string, folder: string, file: string): void {
  const copy = `${file}.${process.pid}.new`;
  try {
    const opened = openSync(copy, "w", 0o600);
    try {
      writeSync(opened, readFileSync(finished));
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    linkSync(copy, file);
    syncPath(folder);
  } catch {
    // See above.
  } finally {
    rmSync(copy, { force: true });
  }
}

/** From now on it is a server's, in which no statement waits for other processes for longer than its readers can bear. */
export function useServerBusyTimeout({ $client }: Database): void {
  $client.run(`PRAGMA busy_timeout = ${SERVER_WAITS_FOR_LOCK}`);
}

/** Opens a database as it is. To be closed by its `$client`: what only reads leaves everything as it is by itself. */
export function openReadOnly(file: string): Database {
  const client = new Sqlite(file, { readonly: true, strict: true });
  // Readers too are kept off while a server that starts after a crash reads the log.
  client.run(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`);
  return queriesOn(client);
}

/**
 * SQLite compiles a statement anew at every run where its plan could depend on the value of a parameter: of a limit, of
 * a join, of a table with partial indexes. Behind a plus sign it does not look at the value, and 5–30 µs become 1.
 */
function queriesOn(client: Sqlite): Database {
  const db = drizzle(client, { casing: "snake_case" });
  const { dialect } = db as unknown as { dialect: { escapeParam(): string } };
  dialect.escapeParam = () => "+?";
  return db;
}

/** Makes the data folder, mode 0700, where it is missing. @throws DatabaseError where others can write to it */
export function makeDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  assertPrivateFolder(folder);
}

/** @throws DatabaseError where others than the folder's own user can write to it */
export function assertPrivateFolder(folder: string): void {
  if (statSync(folder).mode & WRITABLE_BY_OTHERS)
    throw new DatabaseError(
      `Other users of this machine can write to ${folder}; take that away first: chmod go-w ${folder}`,
    );
}

/** The mode stays with the file. Changing it does not wait for other processes' locks, so it is tried again. */
function useWriteAheadLog(client: Sqlite): void {
  for (const until = Date.now() + LOCK_TIMEOUT_MS; journalMode(client) !== "wal"; )
    try {
      client.run("PRAGMA journal_mode = WAL");
    } catch (fault) {
      if (Date.now() > until) throw fault;
      Bun.sleepSync(10);
    }
}

function journalMode(client: Sqlite): string | undefined {
  return client.query<{ journal_mode: string }, []>("PRAGMA journal_mode").get()?.journal_mode;
}

/** Stay open until the process ends. */
const lastConnections: Sqlite[] = [];

/**
 * Closes it and leaves the write-ahead log as it is: a copy of the folder may be under way. SQLite moves all of the log
 * into the database file and deletes it when the last connection is closed, so the last is one that may only read. Bun
 * does the same at exit, also for a connection that is closed while statements of it are held, as drizzle's are: so
 * this one goes inside a transaction, in which SQLite refuses that; before the other, which cannot read a log that was put
 * aside or deleted meanwhile.
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
    // What cannot be read has no log that could be moved.
  }
  client.close(false);
}

/** A transaction that sees the database as it is now until it ends. */
export function beginReadTransaction(connection: Sqlite): void {
  if (!connection.inTransaction) connection.run("BEGIN");
  // The transaction begins with the first thing that is read.
  connection.run("SELECT 1 FROM sqlite_master LIMIT 1");
}
