import { and, asc, desc, eq, isNull } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { categories, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Category, PostRow } from "../post/post";
import { HEAD_COLUMNS } from "../post/post-columns";

/** Of each kind; others can be typed. */
const MOST_OFFERED = 100;

/** What a blog may link to, or show at its address: the pages that readers can see, changed last first. */
export function offeredPages(platen: Platen, blog: Blog): PostRow[] {
  return platen.db
    .select(HEAD_COLUMNS)
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

/** By name. */
export function offeredCategories(platen: Platen, blog: Blog): Category[] {
  return platen.db
    .select()
    .from(categories)
    .where(eq(categories.blogId, blog.id))
    .orderBy(asc(categories.nameKey))
    .limit(MOST_OFFERED)
    .all();
}
