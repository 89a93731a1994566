import { blogOfRow } from "../blogs/blogs";
import { DAY } from "../config/units";
import { prepareSql } from "../database/prepared";
import { inInvisibleTransaction } from "../database/transactions";
import { changeReceiver } from "../deliveries/receivers";
import type { Platen } from "../platen";
import { updateOfActor } from "./account-moves-and-updates";
import { actorOfBlog } from "./blog-actors";
import { dropFollowersAt } from "./followers";
import { sendTo } from "./queueing-activities";

const MAX_RETRIED = 500;
const RETRY_MS = 7 * DAY;

/** Counted from `failingSince`, so this includes the days before the inbox was disabled. */
const GIVE_UP_MS = 65 * DAY;

/**
 * Retries an inbox a week after it was disabled. After GIVE_UP_MS, deletes its followers instead.
 * @returns true if more inboxes may be left
 */
export function retryDeadInboxes(platen: Platen): boolean {
  const at = platen.now().getTime();
  const rows = turnedOff(platen).all(at - RETRY_MS);
  for (const { id, blogId, url, failingSince } of rows)
    inInvisibleTransaction(platen, () => {
      if (failingSince <= at - GIVE_UP_MS) dropFollowersAt(platen, blogId, url);
      else retryInbox(platen, blogId, id);
    });
  return rows.length === MAX_RETRIED;
}

/** `failingSince` stays, so a single further failure disables the inbox again. */
function retryInbox(platen: Platen, blogId: number, receiverId: number): void {
  const actor = actorOfBlog(platen, blogOfRow(platen, { blogId }));
  if (!actor) return;
  const { url } = changeReceiver(platen, receiverId, { disabledAt: null, disabledBecause: null });
  sendTo(platen, actor, [url], updateOfActor(platen, actor));
}

const turnedOff = prepareSql<{ id: number; blogId: number; url: string; failingSince: number }, [number]>(
  `SELECT id, blog_id AS blogId, url, failing_since AS failingSince FROM receivers
     WHERE channel = 'fediverse' AND removed_at IS NULL AND disabled_at <= ? AND failing_since IS NOT NULL
       AND EXISTS (SELECT 1 FROM followers WHERE followers.blog_id = receivers.blog_id AND inbox = url)
       AND (SELECT reach -> '$.fediverse' FROM blogs WHERE blogs.id = receivers.blog_id) IS NOT NULL
     LIMIT ${MAX_RETRIED}`,
);
