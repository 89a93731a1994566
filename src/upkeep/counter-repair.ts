import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { wrongCounters } from "./database-check";

/** Counts anew where counters are wrong; triggers keep them right from then on. @returns what they count: "posts" */
export function repairCounters(platen: Platen): string[] {
  return inTransaction(platen, () =>
    wrongCounters(platen).map(({ table, of, counted }) => {
      for (const change of [
        `CREATE TEMP TABLE counted_anew AS ${counted}`,
        `DELETE FROM ${table}`,
        `INSERT INTO ${table} SELECT * FROM counted_anew`,
        "DROP TABLE counted_anew",
      ])
        platen.db.$client.run(change);
      return of;
    }),
  );
}
