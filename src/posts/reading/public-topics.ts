import { and, eq, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { categories, posts, tags } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Category } from "../post/post";
import type { Tag } from "../topics/tags";
import { isListed, type PostFilter } from "./public-lists";

/** The category at this address. Null where readers find no post in it: its name may be a secret still. */
export function publicCategory(platen: Platen, blog: Blog, slug: string): Category | null {
  const category = platen.db
    .select()
    .from(categories)
    .where(and(eq(categories.blogId, blog.id), eq(categories.slug, slug)))
    .get();
  return category && hasPosts(platen, blog, { categoryId: category.id }) ? category : null;
}

/** The tag at this address, under the same rule. */
export function publicTag(platen: Platen, blog: Blog, slug: string): Tag | null {
  const tag = platen.db
    .select()
    .from(tags)
    .where(and(eq(tags.blogId, blog.id), eq(tags.slug, slug)))
    .get();
  return tag && hasPosts(platen, blog, { tagId: tag.id }) ? tag : null;
}

function hasPosts(platen: Platen, blog: Blog, filter: PostFilter): boolean {
  const found = platen.db
    .select({ found: sql`1` })
    .from(posts)
    .where(isListed(platen, blog, "home", filter))
    .limit(1)
    .get();
  return found !== undefined;
}
