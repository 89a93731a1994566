import { and, asc, sql } from "drizzle-orm";
import { blogHolding, isThere } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import { inTransaction, unlessLocked } from "../../database/transactions";
import type { Platen } from "../../platen";
import { nextTurn } from "../../runtime/yielding";
import { isLive, isUnannounced, liveAt, nextToGoLive } from "../post/live";
import type { Post } from "../post/post";
import { announce } from "./announcing";

/** How many posts whose time has come are announced in one transaction. */
const AT_ONCE = 100;

/**
 * Announces a scheduled post whose time has come as it is; to be called in the transaction that changes it, before it
 * does. Readers may have seen it already, and the next sweep would find only what it has become.
 */
export function announceIfDue(platen: Platen, post: Post, at: Date): void {
  if (isLive(post, at) && !post.isAnnounced) announce(platen, { blog: post.blog, after: post, at });
}

/**
 * Announces the scheduled posts whose time has come, also while nobody was there to see it.
 * @returns when there is or will be more, in milliseconds since 1970, unless something is written
 */
export function announceDue(platen: Platen): number {
  const at = platen.now();
  if (isAnyDue(platen, at)) inTransaction(platen, () => announceSome(platen, at));
  if (!isAnyDue(platen, at)) return nextToGoLive(platen, at);
  if (!announcing.has(platen.db)) void announceRest(platen, at);
  return at.getTime();
}

/** Those that more posts go live on at one time than are announced at once. */
const announcing = new WeakSet<Platen["db"]>();

/** Others are answered in between. What it cannot write, the next call does. */
async function announceRest(platen: Platen, at: Date): Promise<void> {
  announcing.add(platen.db);
  try {
    do await nextTurn();
    while (
      unlessLocked(platen, () => inTransaction(platen, () => announceSome(platen, at))) &&
      isAnyDue(platen, at)
    );
  } catch {
    // It is closed, or damaged, or the disk is full: the next call is told.
  }
  announcing.delete(platen.db);
}

function isAnyDue(platen: Platen, at: Date): boolean {
  return anyDue(platen).get({ at: at.getTime() }) !== undefined;
}

const isDue = and(liveAt(sql.placeholder("at")), isUnannounced, isThere(posts.blogId));
const anyDue = prepared((db) => db.select({ id: posts.id }).from(posts).where(isDue).limit(1).prepare());
const dueNow = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(isDue)
    .orderBy(asc(posts.publishedAt), asc(posts.id))
    .limit(AT_ONCE)
    .prepare(),
);

function announceSome(platen: Platen, at: Date): void {
  for (const after of dueNow(platen).all({ at: at.getTime() }))
    announce(platen, { blog: blogHolding(platen, after), after, at });
}
