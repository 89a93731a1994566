import { eq } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { type EventName, recordEvent } from "../../webhooks/events";
import { isLive } from "../post/live";
import type { PostRow } from "../post/post";

interface Announced {
  blog: Blog;
  after: PostRow;
  at: Date;
  before?: PostRow | null;
}

/**
 * Records the event that tells webhooks what has become of a post, in the transaction that has just written its row.
 * @param before what it was, where it was anything: an event about a post that is no longer live names the time it had
 */
export function announce(platen: Platen, { blog, after, at, before }: Announced): void {
  const name = eventFor(after, at);
  if (name === null) return;
  tell(platen, { name, blog, after, at, before });
  const { id, isAnnounced } = after;
  if (isAnnounced !== isLive(after, at))
    platen.db.update(posts).set({ isAnnounced: !isAnnounced }).where(eq(posts.id, id)).run();
}

/** The same for a new post, whose row says already whether it is announced. */
export function announceNew(platen: Platen, blog: Blog, after: PostRow, at: Date): void {
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

/** What there is to tell of a row that has changed, or whose time has come; null where nobody has seen it, or does now. */
function eventFor(row: PostRow, at: Date): EventName | null {
  if (isLive(row, at)) return row.isAnnounced ? "post.updated" : "post.published";
  if (!row.isAnnounced) return null;
  return row.deletedAt ? "post.deleted" : "post.unpublished";
}
