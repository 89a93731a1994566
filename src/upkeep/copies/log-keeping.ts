import { dataVersion } from "../../database/data-version";
import type { moveLog } from "../../database/log-moving";
import { type LogPin, pinLog } from "../../database/log-pin";
import { freeBytes } from "../../disk-space";
import type { Platen } from "../../platen";
import { workerQueues } from "../../worker-queue";
import { LOST_LOG, lostFiles, putOtherLogAside, saveLostDatabase } from "./lost-files";
import type { Snapshots } from "./snapshots";

const SECOND = 1000;
const HOUR = 60 * 60 * SECOND;
const MEGABYTE = 1_048_576;

/** A copy of the folder that is made in less time is whole; in milliseconds. */
export const COPY_MAY_TAKE = 6 * HOUR;

/** A log that has grown beyond this is started over, copies or not: the smaller of the two, but not below the third. */
const LONGEST_LOG = 1024 * MEGABYTE;
const SHARE_OF_FREE_DISK = 1 / 4;
const SMALLEST_LIMIT = 16 * MEGABYTE;
/** How long nobody may have written before that is done. */
const QUIET = 5 * SECOND;
/** Of the processor, which a disk hardly takes: a gigabyte is moved in seconds, on the card of a Pi in minutes. */
const LONGEST_MOVE = HOUR;
/** At so many times the limit it is done though somebody writes; at so many, without a snapshot too. */
const URGENT = 2;
const DANGEROUS = 4;

/** The write-ahead log, in bytes. */
export interface LogState {
  length: number;
  limit: number;
}

export interface LogKeeping {
  /** To be called every few seconds. */
  step(): void;
  /** To be called every second. */
  look(): void;
  /** Once nothing is being moved. */
  settled(): Promise<void>;
}

const states = new WeakMap<Platen, LogState>();

/** As it was at the last step; undefined where nobody keeps it. */
export function logState(platen: Platen): LogState | undefined {
  return states.get(platen);
}

/**
 * Moves changes from the log into the database file so that a plain copy of the folder (`cp -r`), which reads the two one
 * after the other in either order, is whole unless it takes longer than COPY_MAY_TAKE, T for short:
 *
 * - A step moves no more than was in the log when the pin before it was set, T ago. So whatever is moved while a copy is
 *   made was in the log when that began, and the copy has it in its log, whichever version of a page it has in its file.
 * - The log is only added to (a torn end is dropped by its checksums) until all of it is in the file and no pin holds it.
 *   A pin holds it if something is left to move; so the new one is set before the move, and a copy that has the file of
 *   before has T to read the log. Set after it, it might hold nothing: the next change would start the log over at once.
 * - A pin that is set when nothing was left holds nothing, but keeps the file as it is: a copy in whose time the log
 *   starts over has all of the file, and either log fits. (Unless it is overtaken, in the log, by what is written.)
 * - When no process has the database open SQLite forgets what was moved: a new start begins with all of the log.
 * @param onLostFile called where log or database is not there any more, and went on only for those who have it open
 */
export function logKeeping(
  platen: Platen,
  snapshots: Pick<Snapshots, "demand">,
  {
    freeOnDisk = () => freeBytes(platen.config.data),
    onLostFile = () => {},
  }: { freeOnDisk?: () => number; onLostFile?: () => void } = {},
): LogKeeping {
  let pin = pinned(platen);
  const files = lostFiles(platen);
  let version = dataVersion(platen);
  let changedAt = platen.now();
  let tooLongSince: Date | null = null;
  const quietFor = (at: Date) => {
    const seen = dataVersion(platen);
    if (seen !== version) changedAt = at;
    version = seen;
    return at.getTime() - changedAt.getTime();
  };
  let moving: Promise<void> | null = null;
  /** Most of it in a thread beside the server, which would keep requests waiting for seconds. @param after what follows */
  const moveBeside = (after: () => void) => {
    moving = moveInThread(platen)
      .catch((fault) => platen.log(`The log could not be moved in a thread: ${fault.message}`))
      .then(after)
      .finally(() => {
        moving = null;
      });
  };
  const moveBehindNewPin = () => {
    const old = pin;
    pin = pinned(platen);
    moveBeside(() => {
      old.release();
      // Counted from the end of the move.
      pin.since = platen.now();
    });
  };
  /** Moves everything, and has the next change start the log over. */
  const letStartOver = () => {
    pin.release();
    moveBeside(() => {
      // What was written meanwhile.
      move(platen);
      pin = pinned(platen);
    });
  };
  const keepShort = (at: Date, quiet: number, limit: number) => {
    const length = bytesIn(platen).length;
    if (length < limit) {
      tooLongSince = null;
      return;
    }
    if (tooLongSince === null) platen.log(warning(length, limit));
    tooLongSince ??= at;
    // Then it starts over with the next change already.
    if (!pin.holdsLog) return;
    const isTime = quiet >= QUIET || length >= URGENT * limit;
    if ((snapshots.demand(tooLongSince) && isTime) || length >= DANGEROUS * limit) letStartOver();
  };
  return {
    settled: async () => void (await moving),
    look() {
      // Nothing is moved beside it.
      if (moving) return;
      const lost = files.lost();
      if (lost === "platen.db") saveLostDatabase(platen);
      if (lost === "platen.db-wal") {
        pin.release();
        move(platen);
        // Somebody reads what is older: the rest is moved when that is over.
        if (bytesIn(platen).pending > 0) return;
        putOtherLogAside(platen);
        platen.log(LOST_LOG);
      }
      if (lost !== null) onLostFile();
    },
    step() {
      if (moving) return;
      const at = platen.now();
      const quiet = quietFor(at);
      const wasClockSetBack = pin.since > at;
      if (wasClockSetBack) pin.since = at;
      if (at.getTime() - pin.since.getTime() >= COPY_MAY_TAKE) moveBehindNewPin();
      const limit = longestLog(freeOnDisk());
      if (!moving) keepShort(at, quiet, limit);
      states.set(platen, { length: bytesIn(platen).length, limit });
    },
  };
}

interface Pin extends LogPin {
  since: Date;
  /** The log cannot start over while the pin stands. */
  holdsLog: boolean;
}

function pinned(platen: Platen): Pin {
  const holdsLog = bytesIn(platen).pending > 0;
  return { ...pinLog(platen.db), since: platen.now(), holdsLog };
}

function moveInThread({ db }: Platen): Promise<void> {
  const cost = { within: LONGEST_MOVE, characters: 0, source: "log" };
  return workerQueues.disk.run<typeof moveLog>("moveLog", cost, db.$client.filename);
}

/** What readers need is left out; nobody is waited for. */
function move(platen: Platen): void {
  platen.db.$client.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}

/** In the log; and of that, what is not in the database file yet. */
function bytesIn(platen: Platen): { length: number; pending: number } {
  const one = <Row>(question: string) => platen.db.$client.query<Row, []>(question).get() as Row;
  const pages = one<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)");
  const { page_size } = one<{ page_size: number }>("PRAGMA page_size");
  return { length: pages.log * page_size, pending: (pages.log - pages.checkpointed) * page_size };
}

/** @param free on the disk, in bytes */
function longestLog(free: number): number {
  return Math.max(SMALLEST_LIMIT, Math.min(LONGEST_LOG, free * SHARE_OF_FREE_DISK));
}

function warning(length: number, limit: number): string {
  return (
    `The log beside platen.db has grown to ${megabytes(length)}; its limit is ${megabytes(limit)}. ` +
    "It is started over at a quiet moment, after a snapshot (snapshot.db) was made. " +
    "A copy of the folder that is being made at that moment may be torn; platen check says whether it is."
  );
}

export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}
