import { and, eq } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { tags } from "../../database/schema";
import type { Platen } from "../../platen";
import { walk } from "../lists/walking";
import type { Category } from "../post/post";
import { categoryWithSlug } from "../topics/categories";
import type { Tag } from "../topics/tags";
import { listed, type PostFilter } from "./public-lists";

/** The category at this address. Null where readers find no post in it: its name may be a secret still. */
export function publicCategory(platen: Platen, blog: Blog, slug: string): Category | null {
  const category = categoryWithSlug(platen, blog.id, slug);
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
  const newest = { sort: "published_at", descending: true } as const;
  return walk(platen, listed(platen, blog, "home", filter), newest, { offset: 0, limit: 1 }).length > 0;
}
