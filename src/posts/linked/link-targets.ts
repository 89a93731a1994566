import { and, desc, eq, isNull, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { blogAtUrl } from "../../blogs/finding-blogs";
import { MAX_LENGTHS } from "../../config/request-limits";
import { among, prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";
import { postAtSlug } from "../reading/finding-posts";
import { topicAtSlug } from "../topics/topics";

/** Link target in the blog. Links store the id, so that they survive a new slug. */
type BlogPlace = { postId: number } | { categoryId: number };

/**
 * Finds the post, page or category at an address, published or not.
 * @param address "https://blog.example/about" or "/about"
 */
export function linkTargetAt(platen: Platen, blog: Blog, address: string): BlogPlace | null {
  const path = pathBelow(platen, blog, address.trim());
  const [, topic, slug] = /^\/(category\/)?([^/]+)\/?$/.exec(path ?? "") ?? [];
  if (!slug) return null;
  const found = topic ? topicAtSlug(platen, "category", blog.id, slug) : postAtSlug(platen, blog, slug);
  if (!found) return null;
  return topic ? { categoryId: found.id } : { postId: found.id };
}

/** Returns the path relative to the blog's address; null for other sites. */
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

/** id → post, including posts in the trash */
export function linkedPosts(platen: Platen, blog: Blog, ids: number[]): Map<number, PostRow> {
  if (ids.length === 0) return new Map();
  const rows = rowsWithIds(platen).all({ ids: JSON.stringify(ids), blogId: blog.id });
  return new Map(rows.map((row) => [row.id, row]));
}

/** Maximum number of suggested pages. Users can type the addresses of others. */
export const MAX_SUGGESTED_PAGES = 100;

/** Lists published pages, last changed first. */
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
