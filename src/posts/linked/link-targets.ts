import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { blogAtUrl } from "../../blogs/permalinks";
import { MAX_LENGTHS } from "../../config/request-limits";
import { among, prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";
import { postAtSlug } from "../reading/finding-posts";
import { topicAtSlug } from "../topics/topics";

/** What of a blog can be linked by its id, so that the link outlives its address. */
type BlogPlace = { postId: number } | { categoryId: number };

/**
 * The post, page or category that is at an address now, in whatever state; null where there is none of this blog.
 * @param address "https://blog.example/about", or "/about" for what is below the blog's address
 */
export function linkTargetAt(platen: Platen, blog: Blog, address: string): BlogPlace | null {
  const path = pathBelow(platen, blog, address.trim());
  const [, topic, slug] = /^\/(category\/)?([^/]+)\/?$/.exec(path ?? "") ?? [];
  if (!slug) return null;
  const found = topic ? topicAtSlug(platen, "category", blog.id, slug) : postAtSlug(platen, blog, slug);
  if (!found) return null;
  return topic ? { categoryId: found.id } : { postId: found.id };
}

/** "/about" of both of the above; null where it is not below the blog's address. */
function pathBelow(platen: Platen, blog: Blog, address: string): string | null {
  if (address.length > MAX_LENGTHS.webAddress) return null;
  if (address.startsWith("/")) return address;
  const url = URL.parse(address);
  const place = url && blogAtUrl(platen, url);
  return place?.blog.id === blog.id && url?.search === "" && url.hash === "" ? place.path : null;
}

const rowsWithIds = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(and(among(posts.id, "ids"), eq(posts.blogId, sql.placeholder("blogId"))))
    .prepare(),
);

/** id → the blog's post, in whatever state, in the trash too; without those that are gone. */
export function linkedPosts(platen: Platen, blog: Blog, ids: number[]): Map<number, PostRow> {
  if (ids.length === 0) return new Map();
  const rows = rowsWithIds(platen).all({ ids: JSON.stringify(ids), blogId: blog.id });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Of each kind; others can be typed. */
export const MAX_SUGGESTED_PAGES = 100;

/** What a blog may link to, or show at its address: the pages that readers can see, changed last first. */
export function suggestedPages(platen: Platen, blog: Blog): PostRow[] {
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
    .limit(MAX_SUGGESTED_PAGES)
    .all();
}
