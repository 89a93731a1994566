import type { Platen } from "../platen";
import { prepareSql } from "./rows";

const totalChanges = prepareSql<{ n: number }, []>("SELECT total_changes() AS n");
const sqliteDataVersion = prepareSql<{ data_version: number }, []>("PRAGMA data_version");

const uncounted = new WeakMap<Platen["db"], number>();

const knownThisTick = new WeakMap<Platen["db"], number>();

/**
 * Changes with each write of another process, and with each write of this process outside `keepDataVersion`.
 */
export function dataVersion(platen: Platen): string {
  return `${ownVersion(platen)}.${otherProcessVersion(platen)}`;
}

export function writeVersion(platen: Platen): string {
  return `${rowsChanged(platen)}.${otherProcessVersion(platen)}`;
}

/**
 * A faster `dataVersion`, which sees other processes' writes up to one event-loop tick late. Both terms only
 * grow, so a sum never repeats.
 */
export function dataVersionOfTick(platen: Platen): number {
  const ofOtherProcesses = knownThisTick.getOrInsertComputed(platen.db, () => {
    setImmediate(() => knownThisTick.delete(platen.db));
    return otherProcessVersion(platen);
  });
  return ownVersion(platen) + ofOtherProcesses;
}

/**
 * Leaves `dataVersion` unchanged, so caches stay valid. Therefore, `work` must not change what pages show.
 */
export function keepDataVersion<Result>(platen: Platen, work: () => Result): Result {
  const before = rowsChanged(platen);
  const result = work();
  uncounted.set(platen.db, (uncounted.get(platen.db) ?? 0) + rowsChanged(platen) - before);
  return result;
}

function ownVersion(platen: Platen): number {
  return rowsChanged(platen) - (uncounted.get(platen.db) ?? 0);
}

function otherProcessVersion(platen: Platen): number {
  return sqliteDataVersion(platen).get()?.data_version ?? 0;
}

function rowsChanged(platen: Platen): number {
  return totalChanges(platen).get()?.n ?? 0;
}
