import { eq } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { type EventName, recordEvent } from "../../webhooks/events";
import { isLive, type Post, type PostRow } from "../post/post";

interface Announced {
  blog: Blog;
  after: PostRow;
  at: Date;
  before?: PostRow | null;
}

/**
 * Records the webhook event of a saved post. Call it in the transaction of the save.
 * @param before previous state; its time is used after unpublishing
 */
export function recordPostEvent(platen: Platen, { blog, after, at, before }: Announced): void {
  const name = eventFor(after, at);
  if (name === null) return;
  tell(platen, { name, blog, after, at, before });
  const { id, isAnnounced } = after;
  if (isAnnounced !== isLive(after, at))
    platen.db.update(posts).set({ isAnnounced: !isAnnounced }).where(eq(posts.id, id)).run();
}

export function recordNewPostEvent(platen: Platen, blog: Blog, after: PostRow, at: Date): void {
  if (after.isAnnounced) tell(platen, { name: "post.published", blog, after, at });
}

function tell(platen: Platen, { name, blog, after, at, before }: { name: EventName } & Announced): void {
  const { id, slug, title, type, updatedAt } = after;
  const publishedAt = (isLive(after, at) ? after : (before ?? after)).publishedAt as Date;
  const url = postUrl(platen, blog, after);
  recordEvent(platen, blog, {
    name,
    at,
    post: { id, slug, title, type, url, publishedAt, updatedAt },
  });
}

/** Returns null if readers never saw the post. */
function eventFor(row: PostRow, at: Date): EventName | null {
  if (isLive(row, at)) return row.isAnnounced ? "post.updated" : "post.published";
  if (!row.isAnnounced) return null;
  return row.deletedAt ? "post.deleted" : "post.unpublished";
}

/**
 * Records the publication of a due post before it changes, because the next sweep would miss it. Call it in the
 * transaction that changes the post.
 */
export function recordEventIfDue(platen: Platen, post: Post, at: Date): void {
  if (isLive(post, at) && !post.isAnnounced) recordPostEvent(platen, { blog: post.blog, after: post, at });
}
