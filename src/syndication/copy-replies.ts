import { lte } from "drizzle-orm";
import { findRow, findRows, prepareSql, updateRows } from "../database/rows";
import { copies } from "../database/schema";
import { inInvisibleTransaction, inTransaction } from "../database/transactions";
import type { Channel } from "../deliveries/channel";
import { deliverTo, recordEvent } from "../deliveries/events-and-debouncing";
import { isHostBlocked } from "../komments/blocked-words-and-hosts";
import { kommentWithOrigin, renderRemoteHtml, storeRemoteKomment } from "../komments/remote-komments";
import type { Platen } from "../platen";
import { livePost } from "../posts/reading/finding-posts";
import { attempt, SERVICES } from "./copy-sending";
import { accountAt, REPLY_CHECK_DELAYS_MS } from "./stored-copies";

const CHANNEL = "copy-replies";
const MAX_CHECKS = 20;

/** A failed check is not retried, because later checks are scheduled. */
export const copyRepliesChannel: Channel = {
  name: CHANNEL,
  maxOpen: 2,
  retryDelaysMs: [],
  recordDue: queueDueChecks,
  send(platen, { target }, tools) {
    const copy = findRow(platen, copies, { id: Number(target) });
    const account = copy && accountAt(platen, copy.receiverId);
    return attempt(platen, tools, account, async (sender, { service }) => {
      const post = copy && livePost(platen, copy.postId);
      // With the fediverse on, people can reply to the blog itself, so replies to the copy are not fetched.
      const arrivesByFediverse = service === "mastodon" && post?.blog.reach?.fediverse !== undefined;
      if (!post || !account || arrivesByFediverse) return "Not needed.";
      const replies = await SERVICES[service].replies(sender, account, copy);
      const allowed = replies.filter(({ host }) => !isHostBlocked(platen, post.blog, host));
      const rendered = await Array.fromAsync(allowed, ({ html, host }) => renderRemoteHtml(html, host));
      inTransaction(platen, () => {
        for (const [index, { parentUri, host: _, ...reply }] of allowed.entries()) {
          const content = rendered[index];
          const parentId = kommentWithOrigin(platen, post.blogId, parentUri)?.id ?? null;
          if (content) storeRemoteKomment(platen, post, { ...reply, origin: service, parentId }, content);
        }
      });
      return `${rendered.filter(Boolean).length} replies.`;
    });
  },
};

// With this condition, SQLite can use the partial index of rows with a time.
const nextCheck = prepareSql<{ at: number | null }, []>(
  "SELECT min(check_at) AS at FROM copies WHERE check_at IS NOT NULL",
);

function queueDueChecks(platen: Platen): number {
  const at = platen.now();
  const next = () => nextCheck(platen).get()?.at ?? Number.POSITIVE_INFINITY;
  if (next() > at.getTime()) return next();
  const due = findRows(platen, copies, lte(copies.checkAt, at), { limit: MAX_CHECKS });
  inInvisibleTransaction(platen, () => {
    for (const { id, blogId, postId, sentAt, checks, url } of due) {
      const delay = REPLY_CHECK_DELAYS_MS[checks + 1];
      const checkAt = sentAt && delay !== undefined ? new Date(sentAt.getTime() + delay) : null;
      updateRows(platen, copies, { id }, { checks: checks + 1, checkAt });
      const event = { channel: CHANNEL, blogId, postId, name: "copy.replies", at, isQueued: true };
      deliverTo(platen, recordEvent(platen, event), new URL(url).origin, [String(id)]);
    }
  });
  return next();
}
