import { Database as Sqlite } from "bun:sqlite";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { asDatabaseLocked, DatabaseError } from "../errors";
import { chownToFolderOwner } from "../runtime/files";
import { makeDataFolder } from "./open";

const SERVING_LOCK = ".serving";
const BACKUP_LOCK = ".backing-up";
const MEDIA_MOVE_LOCK = ".moving";
const REMOVAL_LOCK = ".removing";
const SNAPSHOT_LOCK = ".copying";

const POLL_MS = 20;

/** Data folder → inode of the serving lock held by this process. */
const servingLocks = new Map<string, number | undefined>();

/** Keeps the locks from being garbage-collected. */
const heldLocks: Sqlite[] = [];

const servedMessage = (folder: string) =>
  `Another Platen is serving ${folder}; stop it first, or choose another folder with --data.`;

/** @throws DatabaseError if another process serves the folder, or other users can write to it */
export function lockForServing(folder: string): void {
  makeDataFolder(folder);
  lock(folder, SERVING_LOCK, servedMessage(folder));
  servingLocks.set(folder, servingLockInode(folder));
}

/**
 * Makes other processes that want to serve or migrate wait while a server opens the database.
 * @returns a function that turns this lock into the serving lock
 * @throws DatabaseError (see `lockForServing`), also from the returned function
 */
export function lockForOpening(folder: string): () => void {
  makeDataFolder(folder);
  const held = lock(folder, SERVING_LOCK, servedMessage(folder), "IMMEDIATE");
  return () => {
    held.close(false);
    lockForServing(folder);
  };
}

/** Takes the serving lock again if its file was deleted. @throws DatabaseError (see `lockForServing`) */
export function renewServingLock(folder: string): void {
  if (servingLocks.get(folder) !== servingLockInode(folder)) lockForServing(folder);
}

function servingLockInode(folder: string): number | undefined {
  return statSync(join(folder, SERVING_LOCK), { throwIfNoEntry: false })?.ino;
}

/**
 * Makes other processes that want to serve the folder wait.
 * @throws DatabaseError if a server is running. Its version is older, because a current server would have
 * applied the migration.
 */
export function lockForMigration(folder: string): () => void {
  const message = `The Platen that serves ${folder} is an older version; restart it with this version first.`;
  const held = lock(folder, SERVING_LOCK, message, "IMMEDIATE");
  return () => held.close(false);
}

/**
 * Takes no lock in a read-only folder, because a lock is a file in the folder.
 * @throws DatabaseError if another process is making a backup
 */
export function lockForBackup(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    return;
  }
  lock(folder, BACKUP_LOCK, `Another backup of ${folder} is running; wait until it is done.`);
}

export function lockForMediaMove(folder: string): void {
  lock(folder, MEDIA_MOVE_LOCK, `The media of ${folder} are already being moved; wait until that is done.`);
}

export function isMediaMoveRunning(folder: string): boolean {
  return isLocked(folder, MEDIA_MOVE_LOCK);
}

export function lockForRemoval(folder: string, signal?: AbortSignal): Promise<() => void> {
  return waitAndLock(folder, REMOVAL_LOCK, signal);
}

export function lockForSnapshot(folder: string): Promise<() => void> {
  return waitAndLock(folder, SNAPSHOT_LOCK);
}

async function waitAndLock(folder: string, name: string, signal?: AbortSignal): Promise<() => void> {
  for (;;) {
    signal?.throwIfAborted();
    try {
      const held = lock(folder, name, "");
      return () => held.close(false);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
      await Bun.sleep(POLL_MS);
    }
  }
}

function isLocked(folder: string, name: string): boolean {
  const file = join(folder, name);
  if (!existsSync(file)) return false;
  using probe = new Sqlite(file, { readonly: true });
  try {
    probe.run("SELECT 1 FROM sqlite_master");
    return false;
  } catch (error) {
    if (!asDatabaseLocked(error)) throw error;
    return true;
  }
}

/**
 * Locks an empty SQLite database until the connection is closed or this process ends, even by a crash. Never
 * open the file in any other way: closing that file would release the lock (fcntl(2)).
 * @param kind if another process holds an IMMEDIATE lock, `lock` waits; if it holds an EXCLUSIVE one, `lock`
 * throws
 */
function lock(folder: string, name: string, message: string, kind: "EXCLUSIVE" | "IMMEDIATE" = "EXCLUSIVE") {
  const file = join(folder, name);
  const held = new Sqlite(file, { create: true });
  try {
    chownToFolderOwner(folder, file);
    // A journal file would need space on a full disk.
    held.run("PRAGMA journal_mode = MEMORY");
    beginLock(held, kind, () => isLocked(folder, name));
    heldLocks.push(held);
    return held;
  } catch (error) {
    held.close();
    if (!asDatabaseLocked(error)) throw error;
    throw new DatabaseError(message);
  }
}

function beginLock(held: Sqlite, kind: string, isExclusive: () => boolean): void {
  for (;;)
    try {
      held.run(`BEGIN ${kind}`);
      return;
    } catch (error) {
      if (!asDatabaseLocked(error) || isExclusive()) throw error;
      Bun.sleepSync(POLL_MS);
    }
}
