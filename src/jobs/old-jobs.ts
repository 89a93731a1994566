import { and, desc, isNotNull, lt, notInArray, or } from "drizzle-orm";
import { DAY } from "../config/units";
import { jobs } from "../database/schema";
import type { Platen } from "../platen";
import { changeQuietly } from "./quiet-changes";

/** A job and its report stay for so long after its end; of many, the newest so many. */
const KEPT_FOR = 90 * DAY;
const MOST_KEPT = 500;

/** For upkeep. */
export function deleteOldJobs(platen: Platen): void {
  const before = new Date(platen.now().getTime() - KEPT_FOR);
  changeQuietly(platen, () => {
    const newest = platen.db.select({ id: jobs.id }).from(jobs).orderBy(desc(jobs.id)).limit(MOST_KEPT);
    platen.db
      .delete(jobs)
      .where(and(isNotNull(jobs.endedAt), or(lt(jobs.endedAt, before), notInArray(jobs.id, newest))))
      .run();
  });
}
