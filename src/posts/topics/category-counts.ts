import { asc, eq, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { categories, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { liveAt, scheduledAt } from "../post/live";
import type { Category } from "../post/post";

export interface CountedCategory extends Category {
  /** Posts and pages that are live, scheduled …; what is deleted is not counted. */
  counts: Record<"published" | "scheduled" | "draft" | "archived" | "all", number>;
}

/** A blog's categories by name, those without posts too. */
export function categoriesWithCounts(platen: Platen, blog: Blog): CountedCategory[] {
  const at = platen.now();
  const rows = platen.db
    .select({
      category: categories,
      counts: {
        published: sql<number>`count(iif(${liveAt(at)}, 1, null))`,
        scheduled: sql<number>`count(iif(${scheduledAt(at)}, 1, null))`,
        draft: sql<number>`count(iif(${posts.status} = 'draft', 1, null))`,
        archived: sql<number>`count(iif(${posts.status} = 'archived', 1, null))`,
        all: sql<number>`count(${posts.id})`,
      },
    })
    .from(categories)
    .leftJoin(posts, sql`${posts.categoryId} = ${categories.id} and ${posts.deletedAt} is null`)
    .where(eq(categories.blogId, blog.id))
    .groupBy(categories.id)
    .orderBy(asc(categories.nameKey))
    .all();
  return rows.map(({ category, counts }) => ({ ...category, counts }));
}
