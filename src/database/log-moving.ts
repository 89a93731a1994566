import { Database as Sqlite } from "bun:sqlite";
import { fsync, openSync } from "node:fs";
import { promisify } from "node:util";
import type { Database } from "../platen";

/**
 * Moves changes from the log into the database file, but for what readers need; nobody is waited for. Of other
 * connections in the same process, one at least must be open: SQLite moves all of the log when the last one is closed.
 * @param file of the database
 */
export function moveLog(file: string): void {
  using mover = new Sqlite(file, { strict: true });
  mover.run("PRAGMA synchronous = FULL");
  mover.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}

/** In milliseconds. */
const SYNCED_EVERY = 20;

/** Database → its file, for `syncFile`. Never closed: that would give up SQLite's locks on it (fcntl(2)). */
const opened = new WeakMap<Database, number>();
/** Database → why its file could not be synced. */
const unsynced = new WeakMap<Database, Error>();

/**
 * Has the disk take what is moved while it is moved. SQLite syncs the file only where all of the log is moved, so that after
 * a gigabyte whoever moves the last of it waits for a second, and meanwhile every commit does.
 * @throws as `move` does, or since the file could not be synced. From then on nothing is moved any more: to ask again
 * would be answered that all is well (fsync(2)). The log, which does not start over, has everything, and is moved anew by
 * the next process.
 */
export async function syncDuring(db: Database, move: () => Promise<void>): Promise<void> {
  const fault = unsynced.get(db);
  if (fault) throw fault;
  let isOver = false;
  const moved = move().finally(() => {
    isOver = true;
  });
  try {
    for (let isLast = false; !isLast; ) {
      await Promise.race([moved, Bun.sleep(SYNCED_EVERY)]);
      isLast = isOver;
      const sync = syncFile(db);
      syncs.set(
        db,
        sync.catch(() => {}),
      );
      await sync;
    }
  } finally {
    await moved;
  }
}

/** Database → what the disk is being given of what was moved. */
const syncs = new WeakMap<Database, Promise<void>>();

/**
 * To be awaited before a commit: the disk would write its few pages after all that it has just been given, in hundreds of
 * milliseconds, and everybody would wait with it. Between two syncs it has its turn.
 */
export async function turnOfDisk(db: Database): Promise<void> {
  await syncs.get(db);
}

async function syncFile(db: Database): Promise<void> {
  const file = opened.get(db) ?? openSync(db.$client.filename, "r");
  opened.set(db, file);
  try {
    await promisify(fsync)(file);
  } catch (fault) {
    const told = new Error(
      `platen.db could not be synced. Start Platen again once the disk is well. ${fault}`,
    );
    unsynced.set(db, told);
    throw told;
  }
}
