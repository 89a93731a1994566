import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { areCountersRight, COUNTED } from "./database-check";

/** Counts posts anew where the counters are wrong; triggers keep them right from then on. @returns whether they were wrong */
export function repairCounters(platen: Platen): boolean {
  return inTransaction(platen, () => {
    if (areCountersRight(platen)) return false;
    for (const change of ["DELETE FROM post_counts", `INSERT INTO post_counts ${COUNTED}`])
      platen.db.$client.run(change);
    return true;
  });
}
