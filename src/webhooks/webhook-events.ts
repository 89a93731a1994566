import { type Blog, blogUrl } from "../blogs/blogs";
import { prepareSql } from "../database/rows";
import type { posts } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { addDeliveries, queueEvents, recordEvent } from "../deliveries/events-and-debouncing";
import { conflict } from "../errors";
import type { Platen } from "../platen";
import { webhookChannel } from "./webhook-channel";
import { requireWebhook } from "./webhook-urls";

export type EventName =
  | "post.published"
  | "post.updated"
  | "post.unpublished"
  | "post.deleted"
  | "komment.created"
  | "webhook.test";

interface BlogEvent {
  name: EventName;
  at: Date;
  post: EventPost;
  /** Only `komment.created` has a komment. */
  komment?: object;
}

type EventPost = Pick<typeof posts.$inferSelect, "id" | "slug" | "title" | "type" | "updatedAt"> & {
  url: string;
  publishedAt: Date;
};

/** Call this in the transaction of the change. */
export function recordWebhookEvent(platen: Platen, blog: Blog, event: BlogEvent): void {
  if (anyWebhook(platen).get(blog.id)) recordEvent(platen, eventRow(blog, event));
}

const anyWebhook = prepareSql<unknown, [number]>(
  "SELECT 1 FROM receivers WHERE blog_id = ? AND channel = 'webhook' AND removed_at IS NULL LIMIT 1",
);

/** No real post has this id. */
const NO_POST = 0;

/** @returns the delivery id */
export function sendTestEvent(platen: Platen, blog: Blog, url: string): number {
  const at = platen.now();
  return inTransaction(platen, () => {
    queueEvents(platen, webhookChannel);
    const webhook = requireWebhook(platen, blog, url);
    if (webhook.disabledAt) throw conflict(`The webhook ${webhook.url} is disabled; enable it first.`);
    if (webhook.pausedAt) throw conflict(`The webhook ${webhook.url} is paused; resume it first.`);
    const post = {
      id: NO_POST,
      slug: "test",
      title: "A test of this webhook",
      type: "post" as const,
      url: `${blogUrl(platen, blog)}test`,
      publishedAt: at,
      updatedAt: at,
    };
    const event = { ...eventRow(blog, { name: "webhook.test", at, post }), isQueued: true };
    return addDeliveries(platen, recordEvent(platen, event).id, webhook.id)[0] as number;
  });
}

function eventRow(blog: Blog, { name, at, post, komment }: BlogEvent) {
  const { id, slug, title, type, url, publishedAt: published_at, updatedAt: updated_at } = post;
  const payload = JSON.stringify({
    event: name,
    occurred_at: at,
    blog: { id: blog.id, slug: blog.slug, title: blog.title },
    post: { id, slug, title, type, url, published_at, updated_at },
    komment,
  });
  return { channel: webhookChannel.name, blogId: blog.id, postId: id, name, at, payload };
}
