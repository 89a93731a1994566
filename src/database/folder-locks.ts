import { Database as Sqlite } from "bun:sqlite";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { asDatabaseLocked, DatabaseError } from "../errors";
import { chownToFolderOwner } from "../runtime/files";
import { makeDataFolder } from "./open";

/**
 * Makes this process the only one that serves the folder. Commands take no such lock, and work beside a server.
 * @throws DatabaseError where another process serves it
 */
export function lockForServing(folder: string): void {
  makeDataFolder(folder);
  const refusal = servedAlready(folder);
  lock(folder, SERVING, refusal);
  served.set(folder, lockFile(folder));
}

/**
 * Keeps others off the folder while a server opens its database and may bring it up to date.
 * @returns what is to be called then, and locks it for serving
 * @throws DatabaseError as `lockForServing`
 */
export function lockForOpening(folder: string): () => void {
  makeDataFolder(folder);
  const held = lock(folder, SERVING, servedAlready(folder), "IMMEDIATE");
  return () => {
    held.close(false);
    lockForServing(folder);
  };
}

const servedAlready = (folder: string) =>
  `Another Platen is serving ${folder}; stop that one first, or name another folder with --data.`;

/** Does another process serve the folder? Not to be asked by one that does. */
export function isServed(folder: string): boolean {
  return isLocked(folder, SERVING);
}

function isLocked(folder: string, name: string): boolean {
  const file = join(folder, name);
  if (!existsSync(file)) return false;
  using probe = new Sqlite(file, { readonly: true });
  try {
    probe.run("SELECT 1 FROM sqlite_master");
    return false;
  } catch (fault) {
    if (!asDatabaseLocked(fault)) throw fault;
    return true;
  }
}

/**
 * The same again where the lock's file was deleted, as one that a crash had left.
 * @throws DatabaseError where another process has begun to serve the folder meanwhile
 */
export function renewServingLock(folder: string): void {
  if (served.get(folder) !== lockFile(folder)) lockForServing(folder);
}

/**
 * Keeps others off the folder while a command brings its database up to date. They wait for it: it comes to an end, which a
 * server does not.
 * @returns what lets them in again
 * @throws DatabaseError where one serves it: it is of an older version, and could not go on
 */
export function lockForMigration(folder: string): () => void {
  const refusal = `The Platen that is serving ${folder} is of an older version; start it anew with this one first.`;
  const held = lock(folder, SERVING, refusal, "IMMEDIATE");
  return () => held.close(false);
}

const SERVING = ".serving";

/** Folder → the number of its lock's file on the disk. */
const served = new Map<string, number | undefined>();

function lockFile(folder: string): number | undefined {
  return statSync(join(folder, SERVING), { throwIfNoEntry: false })?.ino;
}

/**
 * Makes this process the only one that backs the folder up; one on a read-only disk, where nothing changes, needs no lock.
 * @throws DatabaseError where another process does
 */
export function lockForBackup(folder: string): void {
  if (!isWritable(folder)) return;
  lock(folder, ".backing-up", `A backup of ${folder} is being made already; wait until it is done.`);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Makes this process the only one that moves all media of the folder. @throws DatabaseError where another process does */
export function lockForMediaMove(folder: string): void {
  lock(folder, MOVING, `The media of ${folder} are being moved already; wait until that is done.`);
}

/**
 * Waits until nobody else removes anything from the folder.
 * @returns what lets others do so
 * @throws what the signal is aborted with
 */
export function lockForRemoval(folder: string, signal?: AbortSignal): Promise<() => void> {
  return lockInTurn(folder, ".removing", signal);
}

/**
 * Waits until no other process writes a snapshot of the folder: the server's may outlive a killed server, which begins one anew.
 * @returns what lets others do so
 */
export function lockForSnapshot(folder: string): Promise<() => void> {
  return lockInTurn(folder, ".copying");
}

async function lockInTurn(folder: string, name: string, signal?: AbortSignal): Promise<() => void> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      const held = lock(folder, name, "");
      return () => held.close(false);
    } catch (fault) {
      if (!(fault instanceof DatabaseError)) throw fault;
      await Bun.sleep(LOOKED_AT_EVERY);
    }
  }
}

/** Does another process move all media of the folder? Not to be asked by one that does. */
export function isMediaMoveRunning(folder: string): boolean {
  return isLocked(folder, MOVING);
}

const MOVING = ".moving";

/** In milliseconds. */
const LOOKED_AT_EVERY = 20;

/**
 * Until this process ends in whatever way: SQLite's lock on an empty database is the system's, which no crash leaves
 * behind. The file must not be opened by other means in this process: closing it would give the lock up (fcntl(2)).
 * @param kind IMMEDIATE, which may be read beside, is waited for by all others
 */
function lock(
  folder: string,
  name: string,
  refusal: string,
  kind: "EXCLUSIVE" | "IMMEDIATE" = "EXCLUSIVE",
): Sqlite {
  const file = join(folder, name);
  const lock = new Sqlite(file, { create: true });
  try {
    chownToFolderOwner(folder, file);
    // No journal, which takes room on a full disk.
    lock.run("PRAGMA journal_mode = MEMORY");
    begin(lock, kind, () => isLocked(folder, name));
    locks.push(lock);
    return lock;
  } catch (fault) {
    lock.close();
    if (!asDatabaseLocked(fault)) throw fault;
    throw new DatabaseError(refusal);
  }
}

function begin(lock: Sqlite, kind: string, isExclusive: () => boolean): void {
  for (;;)
    try {
      lock.run(`BEGIN ${kind}`);
      return;
    } catch (fault) {
      if (!asDatabaseLocked(fault) || isExclusive()) throw fault;
      Bun.sleepSync(LOOKED_AT_EVERY);
    }
}

/** Kept from being collected as garbage. */
const locks: Sqlite[] = [];
