import { dataVersion } from "../database/data-version";
import type { Platen } from "../platen";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MEGABYTE = 1_048_576;

/** The first and the last hour of the night, local time. */
const NIGHT = [3, 4];
const QUIET_AT_NIGHT = 10 * MINUTE;
/** A log of this size is worth a checkpoint as soon as nobody is writing. */
const LARGE_LOG = 64 * MEGABYTE;
const QUIET_BY_DAY = 5 * SECOND;
/** A log of this size slows reading down: it is moved whatever goes on. */
const HUGE_LOG = 512 * MEGABYTE;

/** Changes that lie in the write-ahead log only, and how long it is since the last one was made. */
export interface Pending {
  bytes: number;
  /** Milliseconds. */
  quietFor: number;
}

/**
 * May what is pending be moved into the database file now? A plain copy of the folder that runs through this moment
 * can come out torn, so the moments are few: at night, or when the log has grown large; both only while nobody writes.
 */
export function isTimeToCheckpoint(at: Date, { bytes, quietFor }: Pending): boolean {
  if (bytes === 0) return false;
  if (bytes >= HUGE_LOG) return true;
  if (bytes >= LARGE_LOG) return quietFor >= QUIET_BY_DAY;
  return NIGHT.includes(at.getHours()) && quietFor >= QUIET_AT_NIGHT;
}

/** A checkpoint with every step of the clock that finds it due; one now, at the start. */
export function checkpoints(platen: Platen): { step(): void } {
  emptyLog(platen);
  let version = dataVersion(platen);
  let changedAt = platen.now();
  return {
    step() {
      const at = platen.now();
      const seen = dataVersion(platen);
      if (seen !== version) changedAt = at;
      version = seen;
      const pending = { bytes: pendingBytes(platen), quietFor: at.getTime() - changedAt.getTime() };
      if (isTimeToCheckpoint(at, pending)) moveLog(platen);
    },
  };
}

/** For start and stop: moves all changes into the database file and empties the log. */
export function emptyLog(platen: Platen): void {
  platen.db.$client.query("PRAGMA wal_checkpoint(TRUNCATE)").get();
}

/**
 * Moves what it can without waiting for anybody. The log stays as it is until the next change overwrites it: a copy
 * that took the database file before this moment and takes the log after it misses nothing.
 */
function moveLog(platen: Platen): void {
  platen.db.$client.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}

function pendingBytes(platen: Platen): number {
  const pages = platen.db.$client
    .query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)")
    .get();
  const size = platen.db.$client.query<{ page_size: number }, []>("PRAGMA page_size").get();
  return ((pages?.log ?? 0) - (pages?.checkpointed ?? 0)) * (size?.page_size ?? 0);
}
