import { Database as Sqlite } from "bun:sqlite";
import { HOUR, MEGABYTE, SECOND } from "../config/units";
import { asDiskFull } from "../errors";
import type { Database, Platen } from "../platen";
import { freeDiskBytes } from "../runtime/disk-space";
import { workerQueues } from "../worker-queue";
import { dataVersion } from "./change-counter";
import { beginReadTransaction, LOCK_TIMEOUT_MS } from "./open";
import { REWRITE_FIRST_PAGE, unlessLocked } from "./transactions";
import type { checkpoint } from "./worker-queries";

/** A plain copy of a running server's folder is consistent if copying takes less time (see `WalKeeper`). */
export const MAX_COPY_MS = HOUR;
const MAX_CHECKPOINT_MS = HOUR;

/** The WAL limit is the smaller of the next two values, but at least MIN_WAL_LIMIT_BYTES. */
const MAX_WAL_BYTES = 256 * MEGABYTE;
const MAX_SHARE_OF_FREE_DISK = 1 / 10;
const MIN_WAL_LIMIT_BYTES = 16 * MEGABYTE;
const QUIET_MS = 5 * SECOND;
/** At this multiple of its limit, the WAL is reset at once, even without a new snapshot.db. */
const URGENT_FACTOR = 2;

/** In bytes. */
interface WalState {
  length: number;
  limit: number;
}

const walStates = new WeakMap<Platen, WalState>();

/** undefined before the keeper's first step, and in processes without a keeper. */
export function walState(platen: Platen): WalState | undefined {
  return walStates.get(platen);
}

interface WalOptions {
  /** May start a snapshot of the database (snapshot.db) if none was made since `time`. */
  hasSnapshotSince(time: Date): boolean;
  freeOnDisk?(): number;
  /** In milliseconds, and monotonic: the system clock may be set while the server runs. */
  uptime?(): number;
}

/**
 * Checkpoints so that a plain copy of the folder (`cp -r`) is consistent if copying takes less than
 * MAX_COPY_MS. The copy may read the database before or after the WAL.
 * - A read snapshot is held and renewed every MAX_COPY_MS. A checkpoint copies only changes that are older
 *   than the previous snapshot. Each unfinished copy has these changes in its WAL, too.
 * - SQLite resets the WAL once all of it is checkpointed. To prevent this, one page is written before each
 *   new snapshot.
 * - A WAL beyond its limit is reset at a quiet moment, after snapshot.db was made; at twice the limit, at
 *   once. A copy made at that moment may be inconsistent.
 */
export class WalKeeper {
  private snapshot: ReadSnapshot;
  private running: Promise<void> | null = null;
  private version: string;
  private changedAt: number;
  private tooLongSince: Date | null = null;
  private readonly freeOnDisk: () => number;
  private readonly uptime: () => number;

  constructor(
    private readonly platen: Platen,
    private readonly options: WalOptions,
  ) {
    this.freeOnDisk = options.freeOnDisk ?? (() => freeDiskBytes(platen.config.data));
    this.uptime = options.uptime ?? (() => performance.now());
    this.snapshot = this.takeSnapshot();
    this.version = dataVersion(platen);
    this.changedAt = this.uptime();
  }

  /** Call every few seconds. */
  step(): void {
    if (this.running) return;
    const quiet = this.quietFor();
    const limit = walLimit(this.freeOnDisk());
    const { length } = walSize(this.platen.db);
    walStates.set(this.platen, { length, limit });
    if (this.mustReset(length, limit, quiet)) this.reset();
    else if (this.uptime() - this.snapshot.takenAt >= MAX_COPY_MS) this.checkpointBehindNewSnapshot();
  }

  async settled(): Promise<void> {
    await this.running;
  }

  private mustReset(length: number, limit: number, quiet: number): boolean {
    if (length < limit) {
      this.tooLongSince = null;
      return false;
    }
    const at = this.platen.now();
    if (this.tooLongSince === null) this.platen.log(warning(length, limit));
    // A later date means that the clock was set back.
    if (this.tooLongSince === null || this.tooLongSince > at) this.tooLongSince = at;
    const hasSnapshot = this.options.hasSnapshotSince(this.tooLongSince);
    return (hasSnapshot && quiet >= QUIET_MS) || length >= URGENT_FACTOR * limit;
  }

  private checkpointBehindNewSnapshot(): void {
    const { platen } = this;
    if (walSize(platen.db).pages <= 1 || !writeOnePage(platen)) return;
    const old = this.snapshot;
    this.snapshot = this.takeSnapshot();
    this.run(checkpointInWorker(platen.db), () => old.release());
  }

  /** If a reader keeps SQLite from checkpointing the whole WAL, the next step tries again. */
  private reset(): void {
    const { platen } = this;
    this.snapshot.release();
    const checkpointAll = async () => {
      await checkpointInWorker(platen.db);
      // Checkpoints pages that were written during the first checkpoint.
      platen.db.$client.query("PRAGMA wal_checkpoint(PASSIVE)").get();
      writeOnePage(platen);
    };
    this.run(checkpointAll(), () => {
      this.snapshot = this.takeSnapshot();
    });
  }

  private run(work: Promise<void>, after: () => void): void {
    this.running = work
      .catch((error) => this.platen.log(`The checkpoint failed and will be retried: ${error.message}`))
      .then(after)
      .finally(() => {
        this.running = null;
      });
  }

  private takeSnapshot(): ReadSnapshot {
    const reader = new Sqlite(this.platen.db.$client.filename, { readonly: true, strict: true });
    reader.run(`PRAGMA busy_timeout = ${LOCK_TIMEOUT_MS}`);
    beginReadTransaction(reader);
    return { takenAt: this.uptime(), release: () => reader.close(true) };
  }

  /** Milliseconds since a step first saw the current `dataVersion`. */
  private quietFor(): number {
    const version = dataVersion(this.platen);
    if (version !== this.version) this.changedAt = this.uptime();
    this.version = version;
    return this.uptime() - this.changedAt;
  }
}

interface ReadSnapshot {
  takenAt: number;
  release(): void;
}

function checkpointInWorker(db: Database): Promise<void> {
  const cost = { within: MAX_CHECKPOINT_MS, characters: 0, source: "wal" };
  return workerQueues.disk.run<typeof checkpoint>("checkpoint", cost, db.$client.filename);
}

/** @returns false if the disk is full or another process is writing */
function writeOnePage(platen: Platen): boolean {
  try {
    return unlessLocked(platen, () => void platen.db.$client.run(REWRITE_FIRST_PAGE));
  } catch (error) {
    if (asDiskFull(error)) return false;
    throw error;
  }
}

/** `length`: bytes. `pages`: number of pages that are not checkpointed yet. */
function walSize({ $client }: Database): { length: number; pages: number } {
  const get = <Row>(pragma: string) => $client.query<Row, []>(pragma).get() as Row;
  const { log, checkpointed } = get<{ log: number; checkpointed: number }>("PRAGMA wal_checkpoint(NOOP)");
  const { page_size } = get<{ page_size: number }>("PRAGMA page_size");
  return { length: log * page_size, pages: log - checkpointed };
}

function walLimit(free: number): number {
  return Math.max(MIN_WAL_LIMIT_BYTES, Math.min(MAX_WAL_BYTES, free * MAX_SHARE_OF_FREE_DISK));
}

function warning(length: number, limit: number): string {
  return (
    `The WAL (platen.db-wal) has grown to ${megabytes(length)}; its limit is ${megabytes(limit)}. ` +
    "Platen resets the WAL at a quiet moment, after a snapshot (snapshot.db). " +
    "A copy of the folder made at that moment may be damaged; check it with: platen check."
  );
}

export function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE)} MB`;
}
