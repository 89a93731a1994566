import { and, isNull, lte, type Placeholder, type SQL, sql } from "drizzle-orm";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "./post";

/**
 * Can readers see it at its address? Published, its time has come, and not deleted (interface.md States). Said here and
 * nowhere else: for a row by isLive, for SQL by liveAt.
 */
export function isLive(post: Pick<PostRow, "status" | "publishedAt" | "deletedAt">, at: Date): boolean {
  return (
    post.status === "published" &&
    post.deletedAt === null &&
    post.publishedAt !== null &&
    post.publishedAt <= at
  );
}

/** The same as a condition of SQL. @param at a time, or a placeholder of a prepared statement that is given milliseconds */
export function liveAt(at: Date | Placeholder): SQL {
  return and(isPublished, lte(posts.publishedAt, at)) as SQL;
}

/** Readers and receivers have not been told yet. Spelled as the index posts_unannounced is, or it would not be used. */
export const isUnannounced: SQL = sql`not ${posts.isAnnounced}`;

/**
 * When the next post of any blog goes live, in milliseconds since 1970; Infinity where none will. Also one that was
 * announced: the clock may be behind for a while, after a start for instance.
 */
export function nextToGoLive(platen: Platen, at: Date): number {
  return firstToCome(platen).get(at.getTime())?.at ?? Number.POSITIVE_INFINITY;
}

/** The status is spelled out, not bound, as it is in the partial index posts_unannounced. */
const isPublished = and(sql`${posts.status} = 'published'`, isNull(posts.deletedAt));

/** Looks at one entry of the index for each blog and type. */
const firstToCome = prepared((db) =>
  db.$client.query<{ at: number | null }, [number]>(`
    SELECT min((
      SELECT published_at FROM posts INDEXED BY posts_by_publication
      WHERE blog_id = blogs.id AND deleted_at IS NULL AND status = 'published' AND type = column1 AND published_at > +?
      ORDER BY published_at LIMIT 1)) AS at
    FROM blogs CROSS JOIN (VALUES ('post'), ('page'))`),
);
