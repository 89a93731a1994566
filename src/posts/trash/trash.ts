import { and, count, desc, eq, inArray, isNotNull, lte } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { DAY } from "../../config/units";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";

const KEPT_FOR = 30 * DAY;

export function purgeTime({ deletedAt }: Pick<PostRow, "deletedAt">): Date | null {
  return deletedAt && new Date(deletedAt.getTime() + KEPT_FOR);
}

const inTrash = (blog: Blog) => and(eq(posts.blogId, blog.id), isNotNull(posts.deletedAt));

/** @param page number, starting at 1 */
export function deletedPosts({ db }: Platen, blog: Blog, page: number, limit: number) {
  const rows = db
    .select()
    .from(posts)
    .where(inTrash(blog))
    .orderBy(desc(posts.deletedAt), desc(posts.id))
    .limit(limit)
    .offset((page - 1) * limit)
    .all();
  const total = db.select({ total: count() }).from(posts).where(inTrash(blog)).get()?.total ?? 0;
  return { posts: rows, total };
}

export function deletedPostsAmong({ db }: Platen, blog: Blog, ids: number[]): PostRow[] {
  return db
    .select()
    .from(posts)
    .where(and(inTrash(blog), inArray(posts.id, ids)))
    .orderBy(desc(posts.deletedAt), desc(posts.id))
    .all();
}

/** Returns deleted posts of all blogs whose retention has ended, oldest first. */
export function expiredPosts({ db, now }: Platen, most: number): PostRow[] {
  const since = new Date(now().getTime() - KEPT_FOR);
  return db
    .select()
    .from(posts)
    .where(lte(posts.deletedAt, since))
    .orderBy(posts.deletedAt)
    .limit(most)
    .all();
}
