import type { Blog } from "../blogs/blogs";
import { prepared } from "../database/prepared";
import { deliveries, events } from "../database/schema";
import type { Platen } from "../platen";
import type { Webhook } from "./webhook-urls";

/** Names of webhook events. The owner sends `webhook.test` to test a URL. */
export type EventName =
  | "post.published"
  | "post.updated"
  | "post.unpublished"
  | "post.deleted"
  | "webhook.test";

/** A change of live content. */
interface BlogEvent {
  name: EventName;
  at: Date;
  post: EventPost;
}

/** The post as receivers see it. */
interface EventPost {
  id: number;
  slug: string;
  title: string;
  type: "post" | "page";
  /** Absolute URL of the post. */
  url: string;
  publishedAt: Date;
  updatedAt: Date;
}

/**
 * Stores an event with its payload if the blog has a webhook. Call it in the transaction of the change. `queueEvents`
 * creates the deliveries later.
 */
export function recordEvent(platen: Platen, blog: Blog, event: BlogEvent): void {
  if (anyWebhook(platen).get(blog.id)) insertEvent(platen, blog, event);
}

/** Inserts a test event for one URL, with its delivery. Call it in a transaction. @returns id of the delivery */
export function recordTestEvent(platen: Platen, blog: Blog, webhook: Webhook, event: BlogEvent): number {
  const eventId = insertEvent(platen, blog, event, true);
  const row = { eventId, webhookId: webhook.id, dueAt: event.at };
  return platen.db.insert(deliveries).values(row).returning({ id: deliveries.id }).get().id;
}

const anyWebhook = prepared((db) =>
  db.$client.query<unknown, [number]>(
    "SELECT 1 FROM webhooks WHERE blog_id = ? AND removed_at IS NULL LIMIT 1",
  ),
);

function insertEvent(platen: Platen, blog: Blog, { name, at, post }: BlogEvent, isQueued = false): number {
  return platen.db
    .insert(events)
    .values({
      blogId: blog.id,
      postId: post.id,
      name,
      occurredAt: at,
      payload: JSON.stringify(payloadOf(blog, name, at, post)),
      isQueued,
    })
    .returning({ id: events.id })
    .get().id;
}

/** Builds the payload, which has the same fields for every event. */
function payloadOf(blog: Blog, name: EventName, at: Date, post: EventPost) {
  return {
    event: name,
    occurred_at: at,
    blog: { id: blog.id, slug: blog.slug, title: blog.title },
    post: {
      id: post.id,
      slug: post.slug,
      title: post.title,
      type: post.type,
      url: post.url,
      published_at: post.publishedAt,
      updated_at: post.updatedAt,
    },
  };
}
