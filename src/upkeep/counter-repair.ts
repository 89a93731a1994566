import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { wrongCounters } from "./database-check";

/** Counts anew where counters are wrong; triggers keep them right from then on. @returns what they count: "posts" */
export function repairCounters(platen: Platen): string[] {
  return inTransaction(platen, () =>
    wrongCounters(platen).map(({ table, of, counted }) => {
      for (const change of [`DELETE FROM ${table}`, `INSERT INTO ${table} ${counted}`])
        platen.db.$client.run(change);
      return of;
    }),
  );
}
