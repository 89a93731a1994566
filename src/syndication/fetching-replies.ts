import { inTransaction } from "../database/transactions";
import type { Channel } from "../deliveries/channel";
import { isHostBlocked } from "../komments/moderation";
import { kommentWithOrigin, renderRemoteHtml, storeRemoteKomment } from "../komments/remote-komments";
import { livePost } from "../posts/reading/finding-posts";
import { attempt, SERVICES } from "./copy-sending";
import { queueDueChecks, REPLIES } from "./reply-schedule";
import type { RemoteReply } from "./service";
import { accountAt, copyById } from "./stored-copies";

/** A failed check is not retried, because later checks are scheduled. */
export const copyRepliesChannel: Channel = {
  name: REPLIES,
  maxOpen: 2,
  retryDelaysMs: [],
  recordDue: queueDueChecks,
  send(platen, { target }, tools) {
    const copy = copyById(platen, Number(target));
    const account = copy && accountAt(platen, copy.receiverId);
    return attempt(platen, tools, account, async (sender, { service }) => {
      const post = copy && livePost(platen, copy.postId);
      // With the fediverse on, people can reply to the blog itself, so replies to the copy are not fetched.
      const arrivesByFediverse = service === "mastodon" && post?.blog.reach?.fediverse !== undefined;
      if (!post || !account || arrivesByFediverse) return "Not needed.";
      const replies = await SERVICES[service].replies(sender, account, copy);
      const rendered = new Map<RemoteReply, NonNullable<Awaited<ReturnType<typeof renderRemoteHtml>>>>();
      for (const reply of replies) {
        const content = isHostBlocked(platen, post.blog, reply.host)
          ? null
          : await renderRemoteHtml(reply.html, reply.host);
        if (content) rendered.set(reply, content);
      }
      inTransaction(platen, () => {
        for (const [{ parentUri, host: _, ...reply }, content] of rendered) {
          const parentId = kommentWithOrigin(platen, post.blogId, parentUri)?.id ?? null;
          storeRemoteKomment(platen, post, { ...reply, origin: service, parentId }, content);
        }
      });
      return `${rendered.size} replies.`;
    });
  },
};
