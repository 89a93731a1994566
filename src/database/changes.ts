import { prepared } from "./prepared";
import type { Database } from "./transactions";

const ownChanges = prepared((db) => db.$client.query<{ n: number }, []>("SELECT total_changes() AS n"));
const othersChanges = prepared((db) => db.$client.query<{ data_version: number }, []>("PRAGMA data_version"));

/** Differs whenever anything in the database may have changed since, by this process or another. Costs about 4 µs. */
export function databaseVersion(db: Database): string {
  return `${ownChanges(db).get()?.n}.${othersChanges(db).get()?.data_version}`;
}
