import { openSync, readSync, writeSync } from "node:fs";
import type { Database } from "../../platen";

/** What the index of the log says about moves into the database file, whoever makes them. */
export interface LogMoves {
  /** Another one whenever a move began or ended since, and when the log was started over. */
  state: string;
  /** One has begun and not ended: it goes on, or was broken off. So it looks too after a start, until `noteNoneBegun`. */
  isUnended: boolean;
}

/** https://sqlite.org/walformat.html#the_wal_index_file_format: in bytes. */
const HEAD = 136;
const SALTS = [32, 40] as const;
const MOVED = [96, 100] as const;
/** Set before the first page of it is written to the file. */
const TO_BE_MOVED = [128, 132] as const;

/** Database → its log's index. Never closed: that would give up SQLite's locks on it (fcntl(2)). */
const opened = new WeakMap<Database, number>();

export function logMoves(db: Database): LogMoves {
  const file = indexOf(db);
  const head = Buffer.alloc(HEAD);
  readSync(file, head, 0, HEAD, 0);
  const [salts, moved, toBeMoved] = [SALTS, MOVED, TO_BE_MOVED].map(([from, to]) =>
    head.toString("hex", from, to),
  );
  return { state: `${salts} ${moved} ${toBeMoved}`, isUnended: moved !== toBeMoved };
}

/**
 * To be called after a start, while nobody moves anything. Whoever opens the log of one that has ended notes that all of it
 * is to be moved, and a move that begins would note the same: nobody could tell that it did. SQLite reads that note only
 * for snapshots (sqlite3_snapshot_open), which nobody takes here.
 */
export function noteNoneBegun(db: Database): void {
  const moved = Buffer.alloc(MOVED[1] - MOVED[0]);
  readSync(indexOf(db), moved, 0, moved.length, MOVED[0]);
  writeSync(indexOf(db), moved, 0, moved.length, TO_BE_MOVED[0]);
}

function indexOf(db: Database): number {
  const file = opened.get(db) ?? openSync(`${db.$client.filename}-shm`, "r+");
  opened.set(db, file);
  return file;
}
