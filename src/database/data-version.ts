import { prepared } from "./prepared";
import type { Database } from "./transactions";

const ownChanges = prepared((db) => db.$client.query<{ n: number }, []>("SELECT total_changes() AS n"));
const othersChanges = prepared((db) => db.$client.query<{ data_version: number }, []>("PRAGMA data_version"));

const overlooked = new WeakMap<Database, number>();

/** Does work whose changes make nothing that is shown different: `databaseVersion` stays what it was. */
export function overlook(db: Database, work: () => void): void {
  const changes = () => ownChanges(db).get()?.n ?? 0;
  const before = changes();
  work();
  overlooked.set(db, (overlooked.get(db) ?? 0) + changes() - before);
}

/** Differs whenever anything in the database may have changed since, by this process or another. Costs about 4 µs. */
export function databaseVersion(db: Database): string {
  return `${(ownChanges(db).get()?.n ?? 0) - (overlooked.get(db) ?? 0)}.${othersChanges(db).get()?.data_version}`;
}
