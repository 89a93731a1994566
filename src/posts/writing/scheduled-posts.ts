import { and, asc, sql } from "drizzle-orm";
import { blogHolding, isNotBeingRemoved } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { isUnannounced, liveAt, nextToGoLive } from "../post/live";
import { recordPostEvent } from "./post-events";

const MAX_EVENTS_PER_CALL = 500;

/**
 * Records the publication of scheduled posts that are due.
 * @returns time of the next call in milliseconds, unless a write comes first
 */
export function publishDuePosts(platen: Platen): number {
  const at = platen.now();
  if (isAnyDue(platen, at)) inTransaction(platen, () => recordDuePosts(platen, at));
  return isAnyDue(platen, at) ? at.getTime() : nextToGoLive(platen, at);
}

function isAnyDue(platen: Platen, at: Date): boolean {
  return anyDue(platen).get({ at: at.getTime() }) !== undefined;
}

const isDue = and(liveAt(sql.placeholder("at")), isUnannounced, isNotBeingRemoved(posts.blogId));
const anyDue = prepared((db) => db.select({ id: posts.id }).from(posts).where(isDue).limit(1).prepare());
const dueNow = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(isDue)
    .orderBy(asc(posts.publishedAt), asc(posts.id))
    .limit(MAX_EVENTS_PER_CALL)
    .prepare(),
);

function recordDuePosts(platen: Platen, at: Date): void {
  for (const after of dueNow(platen).all({ at: at.getTime() }))
    recordPostEvent(platen, { blog: blogHolding(platen, after), after, at });
}
