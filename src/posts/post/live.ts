import { and, gt, isNull, lte, min, type Placeholder, type SQL, sql } from "drizzle-orm";
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

/** Published with its time still ahead: goes live by itself. @param at as in liveAt */
export function scheduledAt(at: Date | Placeholder): SQL {
  return and(isPublished, gt(posts.publishedAt, at)) as SQL;
}

/** Readers and receivers have not been told yet. Spelled as the index posts_unannounced is, or it would not be used. */
export const isUnannounced: SQL = sql`not ${posts.isAnnounced}`;

/** When the next scheduled post of any blog goes live, in milliseconds since 1970; Infinity where none is scheduled. */
export function nextToGoLive(platen: Platen, at: Date): number {
  return firstScheduled(platen).get({ at: at.getTime() })?.at?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** The status is spelled out, not bound, as it is in the partial index posts_unannounced. */
const isPublished = and(sql`${posts.status} = 'published'`, isNull(posts.deletedAt));

const firstScheduled = prepared((db) =>
  db
    .select({ at: min(posts.publishedAt) })
    .from(posts)
    .where(and(scheduledAt(sql.placeholder("at")), isUnannounced))
    .prepare(),
);
