import { inArray } from "drizzle-orm";
import { DAY } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { IS_UNUSED_ACTOR, remoteActors } from "../database/schema";
import type { Platen } from "../platen";

const RETENTION_MS = 7 * DAY;
const MAX_DELETED = 500;

const OLD = `SELECT id FROM seen_activities WHERE at < ? LIMIT ${MAX_DELETED}`;

/** @returns true if more activities may be left */
export function deleteOldActivities(platen: Platen): boolean {
  const before = platen.now().getTime() - RETENTION_MS;
  const query = platen.db.$client.query<void, [number]>(`DELETE FROM seen_activities WHERE id IN (${OLD})`);
  return keepDataVersion(platen, () => query.run(before).changes) === MAX_DELETED;
}

const UNUSED = `SELECT id FROM remote_actors WHERE fetched_at < ? AND ${IS_UNUSED_ACTOR} LIMIT ${MAX_DELETED}`;

/** @returns true if more actors may be left */
export function deleteUnusedActors(platen: Platen): boolean {
  const before = platen.now().getTime() - RETENTION_MS;
  const unused = platen.db.$client.query<{ id: number }, [number]>(UNUSED).all(before);
  const ids = unused.map(({ id }) => id);
  if (ids.length > 0)
    keepDataVersion(platen, () => platen.db.delete(remoteActors).where(inArray(remoteActors.id, ids)).run());
  return ids.length === MAX_DELETED;
}
