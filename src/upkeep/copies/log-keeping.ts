import { statSync } from "node:fs";
import { dataVersion } from "../../database/data-version";
import { type moveLog, syncDuring } from "../../database/log-moving";
import { type LogPin, pinLog } from "../../database/log-pin";
import { CHANGE_NOTHING, unlessLocked } from "../../database/transactions";
import { freeBytes } from "../../disk-space";
import { noRoom } from "../../errors";
import type { Platen } from "../../platen";
import { HOUR, MEGABYTE, SECOND } from "../../units";
import { workerQueues } from "../../worker-queue";
import { closeToWriting } from "./damaged-database";
import { lostLog, OVERWRITTEN, putOtherLogAside, saveLostDatabase, watchedFiles } from "./lost-files";
import type { Snapshots } from "./nightly-snapshots";

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
/** In bytes; where somebody writes all the time it may never be as little, and is done all the same. */
const MOVED_AT_ONCE = MEGABYTE / 2;
const MOST_MOVES = 50;
/** At so many times the limit it is done though somebody writes; at so many, without a snapshot too. */
const URGENT = 2;
const DANGEROUS = 4;

/** The write-ahead log, in bytes. */
interface LogState {
  length: number;
  limit: number;
}

interface LogKeeping {
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
 * - The log is only added to, whatever starts, stops, is killed or writes beside the server: SQLite writes it from the
 *   beginning again only once all of it is in the file, and a move always leaves something. It goes no further than to the
 *   pin that was set before it, and where nobody wrote after that, we do: a change of one page that changes nothing. So
 *   whatever was in the log when a copy began, the copy has, followed by more or by a torn end, which its checksums drop.
 * - What is moved was written T ago or earlier, so it was in the log when any copy began that is still being made: that
 *   one replays it from its log, whichever version of a page it has in its file.
 * - After a start SQLite knows no more what was moved, and moves all of it again. The log's file tells when it was last
 *   written to: what was in it then has been there since, whoever was running.
 * - A single page that is left to move is left there: where nobody writes we do not either.
 *
 * So the log grows until its limit. Only there, at a quiet moment and after a snapshot, everything is moved and the next
 * change, our own, starts it over. A copy that is being made then may be torn. No quiet hour would make that safe: a copy
 * that has begun to read the log, and reads it more slowly than the server writes the new one over it, has the head of the
 * old log, which takes pages of a newer file back.
 * @param onLostFile called where log or database is not there any more, and went on only for those who have it open
 * @param onDamage called where the database was overwritten, and is closed to writing
 * @param uptime in milliseconds: a clock that nobody sets, as that of a machine that has just asked for the time
 */
export function logKeeping(
  platen: Platen,
  snapshots: Pick<Snapshots, "demand">,
  {
    freeOnDisk = () => freeBytes(platen.config.data),
    onLostFile = () => {},
    onDamage = () => {},
    uptime = () => performance.now(),
  }: Partial<Surroundings> = {},
): LogKeeping {
  const keeper = new LogKeeper(platen, snapshots, { freeOnDisk, onLostFile, onDamage, uptime });
  return {
    step: () => keeper.step(),
    look: () => keeper.look(),
    settled: () => keeper.settled(),
  };
}

interface Surroundings {
  freeOnDisk(): number;
  onLostFile(): void;
  onDamage(): void;
  uptime(): number;
}

class LogKeeper {
  private pin: Pin;
  private readonly files: ReturnType<typeof watchedFiles>;
  private moving: Promise<void> | null = null;
  private version: ReturnType<typeof dataVersion>;
  private changedAt: number;
  private tooLongSince: Date | null = null;

  constructor(
    private readonly platen: Platen,
    private readonly snapshots: Pick<Snapshots, "demand">,
    private readonly around: Surroundings,
  ) {
    this.pin = this.pinned();
    this.pin.since -= sinceLastWrite(platen);
    this.files = watchedFiles(platen);
    this.version = dataVersion(platen);
    this.changedAt = around.uptime();
  }

  async settled(): Promise<void> {
    await this.moving;
  }

  look(): void {
    // Nothing is moved beside it.
    if (this.moving) return;
    const lost = this.files.lost();
    if (lost !== null) this.saveWhatWasLost(lost);
    else if (this.files.isOverwritten()) {
      closeToWriting(this.platen, OVERWRITTEN);
      this.around.onDamage();
    }
  }

  step(): void {
    if (this.moving) return;
    const at = this.platen.now();
    const quiet = this.quietFor();
    if (this.around.uptime() - this.pin.since >= COPY_MAY_TAKE) this.moveBehindNewPin();
    const limit = longestLog(this.around.freeOnDisk());
    if (!this.moving) this.keepShort(at, quiet, limit);
    // Until it is ended an overwriting could be taken for part of it.
    if (!this.moving && this.files.isMoveBrokenOff()) this.moveBeside(moveInThread(this.platen), () => {});
    states.set(this.platen, { length: bytesIn(this.platen).length, limit });
  }

  private saveWhatWasLost(lost: string): void {
    const { platen } = this;
    if (lost === "platen.db") saveLostDatabase(platen);
    else {
      this.pin.release();
      move(platen);
      // Somebody reads what is older: the rest is moved when that is over.
      if (bytesIn(platen).pending > 0) return;
      if (lost === "platen.db-wal") putOtherLogAside(platen);
      platen.log(lostLog(lost));
    }
    this.around.onLostFile();
  }

  /** For how long nobody has written. */
  private quietFor(): number {
    const seen = dataVersion(this.platen);
    if (seen !== this.version) this.changedAt = this.around.uptime();
    this.version = seen;
    return this.around.uptime() - this.changedAt;
  }

  private moveBehindNewPin(): void {
    if (bytesIn(this.platen).isAtRest || !leaveSomething(this.platen)) return;
    const old = this.pin;
    this.pin = this.pinned();
    this.moveBeside(moveInThread(this.platen), () => old.release());
  }

  private pinned(): Pin {
    return { ...pinLog(this.platen.db), since: this.around.uptime() };
  }

  private keepShort(at: Date, quiet: number, limit: number): void {
    const { length } = bytesIn(this.platen);
    if (length < limit) {
      this.tooLongSince = null;
      return;
    }
    if (this.tooLongSince === null) this.platen.log(warning(length, limit));
    const wasClockSetBack = this.tooLongSince !== null && this.tooLongSince > at;
    if (this.tooLongSince === null || wasClockSetBack) this.tooLongSince = at;
    const isTime = quiet >= QUIET || length >= URGENT * limit;
    const hasSnapshot = this.snapshots.demand(this.tooLongSince);
    if ((hasSnapshot && isTime) || length >= DANGEROUS * limit) this.letStartOver();
  }

  /** Moves everything, and starts the log over; where that is not to be now, the next step tries again. */
  private letStartOver(): void {
    const { platen } = this;
    this.pin.release();
    const moveAll = async () => {
      await moveMostInThread(platen);
      // What was written meanwhile.
      move(platen);
      leaveSomething(platen);
    };
    this.moveBeside(moveAll(), () => {
      this.pin = this.pinned();
    });
  }

  /** Most of it in a thread beside the server, which would keep requests waiting for seconds. @param after whatever came of it */
  private moveBeside(move: Promise<void>, after: () => void): void {
    const { platen } = this;
    this.moving = move
      .catch((fault) => platen.log(`The log could not be moved, which is tried again: ${fault.message}`))
      .then(after)
      .finally(() => {
        this.moving = null;
        this.files.moved();
      });
  }
}

interface Pin extends LogPin {
  /** Whatever it lets be moved had been written by then, on the clock of `uptime`. */
  since: number;
}

/** In milliseconds; to be asked after a pin is set: of what it lets be moved, nothing was written later. */
function sinceLastWrite(platen: Platen): number {
  const log = statSync(`${platen.db.$client.filename}-wal`, { throwIfNoEntry: false });
  return log ? Math.max(0, platen.now().getTime() - log.mtimeMs) : 0;
}

function moveInThread({ db }: Platen): Promise<void> {
  const cost = { within: LONGEST_MOVE, characters: 0, source: "log" };
  return syncDuring(db, () => workerQueues.disk.run<typeof moveLog>("moveLog", cost, db.$client.filename));
}

/** What is written meanwhile too, but for what is moved in a moment: twenty megabytes keep everybody waiting for a quarter of a second. */
async function moveMostInThread(platen: Platen): Promise<void> {
  for (let round = 0; round < MOST_MOVES; round++) {
    await moveInThread(platen);
    if (bytesIn(platen).pending <= MOVED_AT_ONCE) return;
  }
}

/** What readers need is left out; nobody is waited for. */
function move(platen: Platen): void {
  platen.db.$client.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}

/** Nobody is waited for. @returns whether there was room, and nobody else was writing */
function leaveSomething(platen: Platen): boolean {
  try {
    return unlessLocked(platen, () => void platen.db.$client.run(CHANGE_NOTHING));
  } catch (fault) {
    if (noRoom(fault)) return false;
    throw fault;
  }
}

/** In the log; and of that, what is not yet in the database file: at rest, one page at most. */
function bytesIn(platen: Platen): { length: number; pending: number; isAtRest: boolean } {
  const one = <Row>(question: string) => platen.db.$client.query<Row, []>(question).get() as Row;
  const { log, checkpointed } = one<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)");
  const { page_size } = one<{ page_size: number }>("PRAGMA page_size");
  const pending = log - checkpointed;
  return {
    length: log * page_size,
    pending: pending * page_size,
    isAtRest: pending <= 1,
  };
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
