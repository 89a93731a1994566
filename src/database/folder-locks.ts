import { SQLiteError, Database as Sqlite } from "bun:sqlite";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseFault } from "../errors";
import { giveToOwnerOf } from "../folder-owner";
import { makeFolder } from "./open";

/**
 * Makes this process the only one that serves the folder. Commands take no such lock, and work beside a server.
 * @throws DatabaseFault where another process serves it
 */
export function lockForServing(folder: string): void {
  makeFolder(folder);
  const refusal = `Another Platen is serving ${folder}; stop that one first, or name another folder with --data.`;
  lock(folder, SERVING, refusal);
  served.set(folder, lockFile(folder));
}

/**
 * The same again where the lock's file was deleted, as one that a crash had left.
 * @throws DatabaseFault where another process has begun to serve the folder meanwhile
 */
export function keepLockForServing(folder: string): void {
  if (served.get(folder) !== lockFile(folder)) lockForServing(folder);
}

const SERVING = ".serving";

/** Folder → the number of its lock's file on the disk. */
const served = new Map<string, number | undefined>();

function lockFile(folder: string): number | undefined {
  return statSync(join(folder, SERVING), { throwIfNoEntry: false })?.ino;
}

/** Makes this process the only one that backs the folder up. @throws DatabaseFault where another process does */
export function lockForBackup(folder: string): void {
  lock(folder, ".backing-up", `A backup of ${folder} is being made already; wait until it is done.`);
}

/**
 * Until this process ends in whatever way: SQLite's lock on an empty database is the system's, which no crash leaves
 * behind. The file must not be opened by other means in this process: closing it would give the lock up (fcntl(2)).
 */
function lock(folder: string, name: string, refusal: string): void {
  const file = join(folder, name);
  const lock = new Sqlite(file, { create: true });
  try {
    giveToOwnerOf(folder, file);
    // No journal, which takes room on a full disk.
    lock.run("PRAGMA journal_mode = MEMORY");
    lock.run("BEGIN EXCLUSIVE");
    locks.push(lock);
  } catch (fault) {
    lock.close();
    if (!(fault instanceof SQLiteError && fault.code === "SQLITE_BUSY")) throw fault;
    throw new DatabaseFault(refusal);
  }
}

/** Kept from being collected as garbage. */
const locks: Sqlite[] = [];
