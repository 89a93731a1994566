import { and, asc, eq, getTableColumns, isNull, lte, sql } from "drizzle-orm";
import { type Blog, blogById } from "../../blogs/blogs";
import { postUrl } from "../../blogs/permalinks";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import { inTransaction, type Transaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { type EventName, recordEvent } from "../../webhooks/events";
import { isLive, type Post, type PostRow } from "../post/post";

/** How many posts whose time has come are announced in one transaction. */
const AT_ONCE = 100;

/** Content is not told: a post is announced without it being read. */
type Announced = Omit<PostRow, "source" | "html" | "text">;

/**
 * Tells the world what has become of a post, in the transaction that has just written its row.
 * @param before what it was, where it was anything: an event about a post that is no longer live names the time it had
 */
export function announce(
  platen: Platen,
  tx: Transaction,
  { blog, after, at, before }: { blog: Blog; after: Announced; at: Date; before?: Announced | null },
): void {
  const name = tidings(after, at);
  if (name === null) return;
  const { id, slug, title, type, updatedAt, isAnnounced } = after;
  const publishedAt = (isLive(after, at) ? after : (before ?? after)).publishedAt as Date;
  const url = postUrl(platen, blog, after);
  recordEvent(platen, blog, {
    name,
    at,
    post: { id, slug, title, type, url, publishedAt, updatedAt },
  });
  if (isAnnounced !== isLive(after, at))
    tx.update(posts).set({ isAnnounced: !isAnnounced }).where(eq(posts.id, id)).run();
}

/** What there is to tell of a row that has changed, or whose time has come; null where nobody has seen it, or does now. */
function tidings(row: Announced, at: Date): EventName | null {
  if (isLive(row, at)) return row.isAnnounced ? "post.updated" : "post.published";
  if (!row.isAnnounced) return null;
  return row.deletedAt ? "post.deleted" : "post.unpublished";
}

/**
 * Announces a scheduled post whose time has come as it is; to be called in the transaction that changes it, before it
 * does. Readers may have seen it already, and the next sweep would find only what it has become.
 */
export function announceIfDue(platen: Platen, tx: Transaction, post: Post, at: Date): void {
  if (isLive(post, at) && !post.isAnnounced) announce(platen, tx, { blog: post.blog, after: post, at });
}

/** Announces the scheduled posts whose time has come, also while nobody was there to see it; to be called every second. */
export function announceDue(platen: Platen): void {
  const at = platen.now();
  while (anyDue(platen.db).get({ at: at.getTime() }))
    inTransaction(platen.db, (tx) => announceSome(platen, tx, at));
}

const isDue = and(
  eq(posts.status, "published"),
  // Spelled as the partial index is, or it would not be used.
  sql`not ${posts.isAnnounced}`,
  isNull(posts.deletedAt),
  lte(posts.publishedAt, sql.placeholder("at")),
);
const anyDue = prepared((db) => db.select({ id: posts.id }).from(posts).where(isDue).limit(1).prepare());

const { source, html, text, ...HEAD } = getTableColumns(posts);
const dueNow = prepared((db) =>
  db
    .select(HEAD)
    .from(posts)
    .where(isDue)
    .orderBy(asc(posts.publishedAt), asc(posts.id))
    .limit(AT_ONCE)
    .prepare(),
);

function announceSome(platen: Platen, tx: Transaction, at: Date): void {
  for (const after of dueNow(platen.db).all({ at: at.getTime() }))
    announce(platen, tx, { blog: blogById(platen, after.blogId) as Blog, after, at });
}
