import { eq } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { posts } from "../../database/schema";
import { recordEvent } from "../../deliveries/events";
import type { Platen } from "../../platen";
import { type EventName, recordWebhookEvent } from "../../webhooks/webhook-events";
import { isLive, type Post, type PostRow } from "../post/post";

interface PostChange {
  blog: Blog;
  after: PostRow;
  at: Date;
  /** Previous state of the post; null for a new post. */
  before?: PostRow | null;
}

/** Records the events of a saved post, for webhooks and other channels. Call it in the transaction of the save. */
export function recordPostEvent(platen: Platen, change: PostChange): void {
  const { blog, after, at, before } = change;
  const isShown = isLive(after, at);
  const name = eventFor(change, isShown);
  if (name === null) return;
  const { id, slug, title, type, updatedAt } = after;
  const publishedAt = (isShown ? after : (before ?? after)).publishedAt as Date;
  const url = postUrl(platen, blog, after);
  const post = { id, slug, title, type, url, publishedAt, updatedAt };
  recordWebhookEvent(platen, blog, { name, at, post });
  for (const channel of blog.reach === null ? [] : Object.keys(blog.reach))
    recordEvent(platen, { channel, blogId: blog.id, postId: id, name, at });
  if (after.isAnnounced !== isShown)
    platen.db.update(posts).set({ isAnnounced: isShown }).where(eq(posts.id, id)).run();
}

/** Returns null if readers never saw the post. */
function eventFor({ after, before }: PostChange, isShown: boolean): EventName | null {
  if (isShown) return after.isAnnounced && before !== null ? "post.updated" : "post.published";
  if (!after.isAnnounced) return null;
  return after.deletedAt ? "post.deleted" : "post.unpublished";
}

/**
 * Records the publication of a due post before it changes, because the next sweep would miss it. Call it in the
 * transaction that changes the post.
 */
export function recordEventIfDue(platen: Platen, post: Post, at: Date): void {
  if (isLive(post, at) && !post.isAnnounced) recordPostEvent(platen, { blog: post.blog, after: post, at });
}
