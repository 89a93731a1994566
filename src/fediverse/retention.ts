import { inArray, lt } from "drizzle-orm";
import { DAY } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { prepared } from "../database/prepared";
import { IS_UNUSED_ACTOR, remoteActors, seenActivities } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { retryInbox } from "./account-moves-and-updates";
import { dropFollowersAt } from "./followers";

const RETENTION_MS = 7 * DAY;
const MAX_DELETED = 500;

/** Ids of activities are only needed to recognize repeats. */
export function deleteOldActivities(platen: Platen): void {
  const before = new Date(platen.now().getTime() - RETENTION_MS);
  keepDataVersion(platen, () => platen.db.delete(seenActivities).where(lt(seenActivities.at, before)).run());
}

const RETRY_MS = 7 * DAY;
/** Two months after the inbox was disabled, which takes 5 days of failures. */
const GIVE_UP_MS = 65 * DAY;

/**
 * Retries a disabled inbox once a week. Another failure disables it again. After two months of failures,
 * removes the followers at the inbox.
 * @returns whether more may be left
 */
export function retryDeadInboxes(platen: Platen): boolean {
  const at = platen.now().getTime();
  const rows = turnedOff(platen).all(at - RETRY_MS);
  for (const { id, blogId, url, failingSince } of rows)
    keepDataVersion(platen, () =>
      inTransaction(platen, () => {
        if (failingSince <= at - GIVE_UP_MS) dropFollowersAt(platen, blogId, url);
        else retryInbox(platen, blogId, id);
      }),
    );
  return rows.length === MAX_DELETED;
}

const turnedOff = prepared((db) =>
  db.$client.query<{ id: number; blogId: number; url: string; failingSince: number }, [number]>(
    `SELECT id, blog_id AS blogId, url, failing_since AS failingSince FROM receivers
     WHERE channel = 'fediverse' AND removed_at IS NULL AND disabled_at <= ? AND failing_since IS NOT NULL
       AND EXISTS (SELECT 1 FROM followers WHERE followers.blog_id = receivers.blog_id AND inbox = url)
       AND (SELECT reach -> '$.fediverse' FROM blogs WHERE blogs.id = receivers.blog_id) IS NOT NULL
     LIMIT ${MAX_DELETED}`,
  ),
);

const UNUSED = `SELECT id FROM remote_actors WHERE fetched_at < ? AND ${IS_UNUSED_ACTOR} LIMIT ${MAX_DELETED}`;

/** @returns whether more may be left */
export function deleteUnusedActors(platen: Platen): boolean {
  const before = platen.now().getTime() - RETENTION_MS;
  const unused = platen.db.$client.query<{ id: number }, [number]>(UNUSED).all(before);
  const ids = unused.map(({ id }) => id);
  if (ids.length > 0)
    keepDataVersion(platen, () => platen.db.delete(remoteActors).where(inArray(remoteActors.id, ids)).run());
  return ids.length === MAX_DELETED;
}
