import { and, desc, eq, isNull } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";

/** Of each kind; others can be typed. */
export const MOST_OFFERED = 100;

/** What a blog may link to, or show at its address: the pages that readers can see, changed last first. */
export function offeredPages(platen: Platen, blog: Blog): PostRow[] {
  return platen.db
    .select()
    .from(posts)
    .where(
      and(
        eq(posts.blogId, blog.id),
        isNull(posts.deletedAt),
        eq(posts.status, "published"),
        eq(posts.type, "page"),
      ),
    )
    .orderBy(desc(posts.updatedAt), desc(posts.id))
    .limit(MOST_OFFERED)
    .all();
}
