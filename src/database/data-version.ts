import type { Platen } from "../platen";
import { prepared } from "./prepared";

const ownChanges = prepared((db) => db.$client.query<{ n: number }, []>("SELECT total_changes() AS n"));
const othersChanges = prepared((db) => db.$client.query<{ data_version: number }, []>("PRAGMA data_version"));

/** Rows changed by `keepDataVersion`, which are not counted. */
const uncounted = new WeakMap<Platen["db"], number>();

/** Database → what `otherProcessVersion` said in this turn of the event loop. */
const knownThisTurn = new WeakMap<Platen["db"], number>();

/** Differs whenever anything in the database may have changed since, by this process or another. */
export function dataVersion(platen: Platen): string {
  return `${changedByUs(platen)}.${otherProcessVersion(platen)}`;
}

/** Differs whenever anything at all was written, what `keepDataVersion` does too: for copies, which are to have it. */
export function writeVersion(platen: Platen): string {
  return `${rowsChanged(platen)}.${otherProcessVersion(platen)}`;
}

/**
 * The same for a tenth of the time, which what is asked a thousand times a second needs: what this process has changed is
 * in it at once, what another has changed from the next turn of the event loop on. Both only ever grow, and so does their sum.
 */
export function dataVersionOfTick(platen: Platen): number {
  return changedByUs(platen) + otherProcessVersionOfTick(platen);
}

/** Differs, from the next turn of the event loop on, whenever another process may have changed anything. */
export function otherProcessVersionOfTick(platen: Platen): number {
  let byOthers = knownThisTurn.get(platen.db);
  if (byOthers === undefined) {
    byOthers = otherProcessVersion(platen);
    knownThisTurn.set(platen.db, byOthers);
    setImmediate(() => knownThisTurn.delete(platen.db));
  }
  return byOthers;
}

/** Does work whose changes make no page or answer different, and keeps `dataVersion` as it was. */
export function keepDataVersion<Result>(platen: Platen, work: () => Result): Result {
  const before = rowsChanged(platen);
  const result = work();
  uncounted.set(platen.db, (uncounted.get(platen.db) ?? 0) + rowsChanged(platen) - before);
  return result;
}

function changedByUs(platen: Platen): number {
  return rowsChanged(platen) - (uncounted.get(platen.db) ?? 0);
}

/** Differs, at once, whenever another process may have changed anything: a number that says nothing else. */
export function otherProcessVersion(platen: Platen): number {
  return othersChanges(platen).get()?.data_version ?? 0;
}

/** By this process, since it opened the database. */
function rowsChanged(platen: Platen): number {
  return ownChanges(platen).get()?.n ?? 0;
}
