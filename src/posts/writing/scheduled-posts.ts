import { and, asc, type SQL, sql } from "drizzle-orm";
import { blogOfRow, isNotBeingRemoved } from "../../blogs/blogs";
import { prepared, prepareSql } from "../../database/rows";
import { posts } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { liveAt } from "../reading/finding-posts";
import { recordPostEvent } from "./saving";

const MAX_EVENTS_PER_CALL = 500;

/**
 * @returns when to call again, in milliseconds since 1970; Infinity if no post is scheduled. A save may
 * require an earlier call.
 */
export function publishDuePosts(platen: Platen): number {
  const at = platen.now();
  const duePosts = () => dueNow(platen).all({ at: at.getTime() });
  if (duePosts().length > 0)
    inTransaction(platen, () => {
      for (const after of duePosts()) recordPostEvent(platen, { blog: blogOfRow(platen, after), after, at });
    });
  return duePosts().length > 0 ? at.getTime() : nextToGoLive(platen, at);
}

/** Must match the condition of the index posts_unannounced. Otherwise SQLite does not use the index. */
export const isUnannounced: SQL = sql`not ${posts.isAnnounced}`;

const isDue = and(liveAt(sql.placeholder("at")), isUnannounced, isNotBeingRemoved(posts.blogId));
const dueNow = prepared((db) => {
  const due = db.select().from(posts).where(isDue).orderBy(asc(posts.publishedAt), asc(posts.id));
  return due.limit(MAX_EVENTS_PER_CALL).prepare();
});

/**
 * Includes posts that are already announced, because the clock may have been set back.
 * @returns milliseconds since 1970, or Infinity
 */
export function nextToGoLive(platen: Platen, at: Date): number {
  return firstToCome(platen).get(at.getTime())?.at ?? Number.POSITIVE_INFINITY;
}

const firstToCome = prepareSql<{ at: number | null }, [number]>(`
  SELECT min((
    SELECT published_at FROM posts INDEXED BY posts_by_publication
    WHERE blog_id = blogs.id AND deleted_at IS NULL AND status = 'published' AND type = column1 AND published_at > +?
    ORDER BY published_at LIMIT 1)) AS at
  FROM blogs CROSS JOIN (VALUES ('post'), ('page'))`);
