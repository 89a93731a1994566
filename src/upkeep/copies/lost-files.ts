import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isServed } from "../../database/folder-locks";
import { closeDatabase } from "../../database/open";
import { DatabaseFault } from "../../errors";
import type { Platen } from "../../platen";
import { type LogMoves, logMoves, noteNoneBegun } from "./log-moves";
import { makeSnapshot } from "./snapshot-file";

const LOG = "platen.db-wal";
/** Of the log, in memory that all processes share. */
const INDEX = "platen.db-shm";
const FILES = ["platen.db", LOG, INDEX];
/** A server looks each second. */
const NOTICED_WITHIN = 5000;

interface WatchedFiles {
  /** Notices when a file of the database is deleted, emptied or replaced under the server, which goes on with what it had open. */
  lost(): string | null;
  /** Did somebody write to platen.db in any other way than by moving the log there? To be called each second. */
  isOverwritten(): boolean;
  /** Has somebody begun to move the log, and not gone on since the last look? */
  isMoveBrokenOff(): boolean;
  /** To be called after the server itself has moved something. */
  moved(): void;
}

export function watchedFiles({ config: { data }, db }: Platen): WatchedFiles {
  noteNoneBegun(db);
  const known = new Map(FILES.map((name) => [name, numberOf(join(data, name))]));
  const stateOfDatabase = () => {
    const file = statSync(join(data, "platen.db"), { throwIfNoEntry: false });
    return `${file?.mtimeMs} ${file?.size}`;
  };
  // In this order: a move that begins in between is another one than was known when the file has changed.
  const look = () => ({ moves: logMoves(db), file: stateOfDatabase() });
  let last = look();
  /** The move that was seen to have begun, and has not ended. */
  let unended: string | null = null;
  let isBrokenOff = false;
  const noteMove = (moves: LogMoves, found: typeof last) => {
    unended = moves.isUnended ? moves.state : null;
    last = found;
  };
  return {
    lost: () => FILES.find((name) => numberOf(join(data, name)) !== known.get(name)) ?? null,
    isOverwritten() {
      const found = look();
      const isSame = found.file === last.file;
      isBrokenOff = isSame && found.moves.state === unended;
      if (isSame) {
        if (!found.moves.isUnended) last = found;
        return false;
      }
      const moves = logMoves(db);
      const isMoved = moves.state !== last.moves.state || moves.state === unended;
      if (isMoved) noteMove(moves, found);
      return !isMoved;
    },
    isMoveBrokenOff: () => isBrokenOff,
    moved() {
      const found = look();
      if (found.moves.state !== last.moves.state) noteMove(found.moves, found);
      else last = found;
    },
  };
}

/** Of the file on its disk; undefined where there is none, or no database in it. */
function numberOf(file: string): number | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  const isEmptied = found?.size === 0 && file.endsWith(".db");
  return isEmptied ? undefined : found?.ino;
}

/**
 * To be called before a command opens the database. Beside a server that has lost log or index it would find what there
 * was hours ago, and begin another log: so it waits until the server has noticed, saved what it has, and ended.
 * @throws DatabaseFault where that lasts
 */
export function awaitLogOfServer(folder: string): void {
  const isThere = () => [LOG, INDEX].every((name) => existsSync(join(folder, name)));
  for (const until = Date.now() + NOTICED_WITHIN; !isThere() && isServed(folder); Bun.sleepSync(50))
    if (Date.now() > until)
      throw new DatabaseFault(
        `${LOG} or ${INDEX} in ${folder} was deleted while Platen is running. Stop Platen, then start it again.`,
      );
}

export const OVERWRITTEN = "platen.db was overwritten while Platen was running";

/** @param name of the log, or of its index */
export const lostLog = (name: string) =>
  `${name} was deleted, or another put in its place, while Platen was running. What was in the log is in platen.db now. Platen ends: start it again, and leave that file alone.`;

/**
 * A log that came in the place of the lost one, a command's for example, began from less than the database has now.
 */
export function putOtherLogAside({ config: { data } }: Platen): void {
  const log = join(data, LOG);
  if (existsSync(log)) renameSync(log, `${log}.other`);
  rmSync(join(data, INDEX), { force: true });
}

/** Writes what this process still sees of a database whose file is gone to snapshot.db. To be called before it ends. */
export function saveLostDatabase(platen: Platen): void {
  const happened = "platen.db was deleted or emptied, or another put in its place, while Platen was running.";
  try {
    makeSnapshot(platen.db, platen.config.data);
    platen.log(
      `${happened} All that was in it is in snapshot.db. Platen ends. To go on with it, type: platen recover`,
    );
  } catch (fault) {
    const reason = fault instanceof Error ? fault.message : fault;
    platen.log(`${happened} What was in it could not be written to snapshot.db: ${reason}. Platen ends.`);
    // Keeps the log. Beside another database it would be taken for that one's.
    if (numberOf(platen.db.$client.filename) === undefined) closeDatabase(platen.db);
  }
}
