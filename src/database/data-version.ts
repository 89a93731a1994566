import type { Platen } from "../platen";
import { prepared } from "./prepared";

const ownChanges = prepared((db) => db.$client.query<{ n: number }, []>("SELECT total_changes() AS n"));
const othersChanges = prepared((db) => db.$client.query<{ data_version: number }, []>("PRAGMA data_version"));

/** Rows changed by `keepingDataVersion`, which are not counted. */
const uncounted = new WeakMap<Platen["db"], number>();

/** Differs whenever anything in the database may have changed since, by this process or another. Costs about 4 µs. */
export function dataVersion(platen: Platen): string {
  const own = rowsChanged(platen) - (uncounted.get(platen.db) ?? 0);
  return `${own}.${othersChanges(platen).get()?.data_version}`;
}

/** Does work whose changes make no page or answer different, and keeps `dataVersion` as it was. */
export function keepingDataVersion(platen: Platen, work: () => void): void {
  const before = rowsChanged(platen);
  work();
  uncounted.set(platen.db, (uncounted.get(platen.db) ?? 0) + rowsChanged(platen) - before);
}

/** By this process, since it opened the database. */
function rowsChanged(platen: Platen): number {
  return ownChanges(platen).get()?.n ?? 0;
}
