import { and, isNull, lte, type Placeholder, type SQL, sql } from "drizzle-orm";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";

/** The SQL of `isLive`. @param at time, or a placeholder for milliseconds */
export function liveAt(at: Date | Placeholder): SQL {
  return and(isPublished, lte(posts.publishedAt, at)) as SQL;
}

/** Must match the condition of the index posts_unannounced. Otherwise SQLite does not use the index. */
export const isUnannounced: SQL = sql`not ${posts.isAnnounced}`;

/**
 * Returns the publication time of the next scheduled post in any blog, in milliseconds, or Infinity. Includes
 * announced posts, because the clock may have been set back.
 */
export function nextToGoLive(platen: Platen, at: Date): number {
  return firstToCome(platen).get(at.getTime())?.at ?? Number.POSITIVE_INFINITY;
}

/** The status is a literal, as in the partial index posts_unannounced. */
const isPublished = and(sql`${posts.status} = 'published'`, isNull(posts.deletedAt));

/** Reads one index entry per blog and type. */
const firstToCome = prepared((db) =>
  db.$client.query<{ at: number | null }, [number]>(`
    SELECT min((
      SELECT published_at FROM posts INDEXED BY posts_by_publication
      WHERE blog_id = blogs.id AND deleted_at IS NULL AND status = 'published' AND type = column1 AND published_at > +?
      ORDER BY published_at LIMIT 1)) AS at
    FROM blogs CROSS JOIN (VALUES ('post'), ('page'))`),
);
