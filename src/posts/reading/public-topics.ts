import { and, asc, eq, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { categories, posts, postTags, tags } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Category } from "../post/post";
import { isShown } from "./public-lists";

export type Tag = typeof tags.$inferSelect;

/** The category at this address; one that has no post to show is not there: its name may be a secret still. */
export function categoryShown(platen: Platen, blog: Blog, slug: string): Category | undefined {
  const category = platen.db
    .select()
    .from(categories)
    .where(and(eq(categories.blogId, blog.id), eq(categories.slug, slug)))
    .get();
  return category && hasPosts(platen, blog, { categoryId: category.id }) ? category : undefined;
}

/** The tag at this address, under the same rule. */
export function tagShown(platen: Platen, blog: Blog, slug: string): Tag | undefined {
  const tag = platen.db
    .select()
    .from(tags)
    .where(and(eq(tags.blogId, blog.id), eq(tags.slug, slug)))
    .get();
  return tag && hasPosts(platen, blog, { tagId: tag.id }) ? tag : undefined;
}

function hasPosts(platen: Platen, blog: Blog, choice: { categoryId?: number; tagId?: number }): boolean {
  const found = platen.db
    .select({ found: sql`1` })
    .from(posts)
    .where(isShown(platen, blog, "list", choice))
    .limit(1)
    .get();
  return found !== undefined;
}

/** A post's tags in the order they were given, with their addresses. */
export function tagsWithAddress(platen: Platen, postId: number): Pick<Tag, "name" | "slug">[] {
  return platen.db
    .select({ name: tags.name, slug: tags.slug })
    .from(postTags)
    .innerJoin(tags, eq(tags.id, postTags.tagId))
    .where(eq(postTags.postId, postId))
    .orderBy(asc(postTags.position))
    .all();
}
