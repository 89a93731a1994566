import { dataVersion } from "../database/data-version";
import type { Platen } from "../platen";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const MEGABYTE = 1_048_576;

/** The hours in which the log is checkpointed whatever its size, local time. */
const NIGHT = [3, 4];
const QUIET_AT_NIGHT = 10 * MINUTE;
/** A write-ahead log (WAL) of so many bytes is checkpointed as soon as nobody is writing. */
const LARGE_WAL = 64 * MEGABYTE;
const QUIET_BY_DAY = 5 * SECOND;
/** One of so many bytes slows reading down: it is checkpointed even while somebody writes. */
const HUGE_WAL = 512 * MEGABYTE;

/** Changes that are in the write-ahead log only. */
export interface Pending {
  bytes: number;
  /** Since the last change, in milliseconds. */
  quietFor: number;
}

/**
 * May the log be moved into the database file now? A plain copy of the folder (`cp -r`) that is under way at this moment
 * can be damaged, so such moments are few: at night, or when the log has grown large; both only while nobody writes.
 */
export function isTimeToCheckpoint(at: Date, { bytes, quietFor }: Pending): boolean {
  if (bytes === 0) return false;
  if (bytes >= HUGE_WAL) return true;
  if (bytes >= LARGE_WAL) return quietFor >= QUIET_BY_DAY;
  return NIGHT.includes(at.getHours()) && quietFor >= QUIET_AT_NIGHT;
}

/** Checkpoints at once, then at each `step` that finds it time. */
export function checkpoints(platen: Platen): { step(): void } {
  truncateWal(platen);
  let version = dataVersion(platen);
  let changedAt = platen.now();
  return {
    step() {
      const at = platen.now();
      const seen = dataVersion(platen);
      if (seen !== version) changedAt = at;
      version = seen;
      const pending = { bytes: walBytes(platen), quietFor: at.getTime() - changedAt.getTime() };
      if (isTimeToCheckpoint(at, pending)) checkpointPassively(platen);
    },
  };
}

/** For start and stop: moves all changes into the database file and makes the log empty. */
export function truncateWal(platen: Platen): void {
  platen.db.$client.query("PRAGMA wal_checkpoint(TRUNCATE)").get();
}

/**
 * Moves what it can without waiting for readers. The log keeps its content until the next change overwrites it, so a copy
 * that takes the database file before this and the log after it still has everything.
 */
function checkpointPassively(platen: Platen): void {
  platen.db.$client.query("PRAGMA wal_checkpoint(PASSIVE)").get();
}

function walBytes(platen: Platen): number {
  const pages = platen.db.$client
    .query<{ log: number; checkpointed: number }, []>("PRAGMA wal_checkpoint(NOOP)")
    .get();
  const size = platen.db.$client.query<{ page_size: number }, []>("PRAGMA page_size").get();
  return ((pages?.log ?? 0) - (pages?.checkpointed ?? 0)) * (size?.page_size ?? 0);
}
