import { DAY } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { prepareSql } from "../database/prepared";
import { IS_UNUSED_ACTOR } from "../database/schema";
import type { Platen } from "../platen";

const RETENTION_MS = 7 * DAY;
const MAX_DELETED = 500;

/** The returned function returns true if more rows may be left. */
function deleteOld(table: string, condition: string): (platen: Platen) => boolean {
  const old = `SELECT id FROM ${table} WHERE ${condition} LIMIT ${MAX_DELETED}`;
  const query = prepareSql<void, [number]>(`DELETE FROM ${table} WHERE id IN (${old})`);
  return (platen) => {
    const before = platen.now().getTime() - RETENTION_MS;
    return keepDataVersion(platen, () => query(platen).run(before).changes) >= MAX_DELETED;
  };
}

export const deleteOldActivities = deleteOld("seen_activities", "at < ?");
export const deleteUnusedActors = deleteOld("remote_actors", `fetched_at < ? AND ${IS_UNUSED_ACTOR}`);
