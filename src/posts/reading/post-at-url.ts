import { and, desc, eq, isNotNull } from "drizzle-orm";
import type { Caller } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { blogAtUrl } from "../../blogs/permalinks";
import { posts } from "../../database/schema";
import { notFound } from "../../errors";
import type { Platen } from "../../platen";
import { percentDecoded } from "../../text/clean-text";
import { postMovedFrom } from "../parts/old-slugs";
import type { Post, PostRow } from "../post/post";
import { postOf, requireReach } from "./post-by-id";
import { postAtSlug } from "./post-by-slug";

/**
 * The caller's own post at a public address, seen by readers or not; an address it used to have leads to it too.
 * @param blogId the blog the caller says it is in
 * @throws Refusal: missing, or forbidden
 */
export function postAtAddress(platen: Platen, caller: Caller, address: string, blogId?: number): Post {
  const { blog, slug } = slugAt(platen, address) ?? {};
  if (!blog || !slug) throw notFound("post");
  const found = postAtSlug(platen, blog, slug) ?? postMovedFrom(platen, blog, slug);
  if (!found) throw notFound("post");
  return postOf(platen, caller, found.id, blogId);
}

/** The post last deleted of those that were at this address. @throws Refusal (forbidden) */
export function deletedPostAtAddress(platen: Platen, caller: Caller, address: string): PostRow | undefined {
  const { blog, slug } = slugAt(platen, address) ?? {};
  if (!blog || !slug) return undefined;
  requireReach(caller, blog, "post");
  return deletedPostAtSlug(platen, blog, slug) ?? postMovedFrom(platen, blog, slug, true);
}

function deletedPostAtSlug(platen: Platen, blog: Blog, slug: string): PostRow | undefined {
  return platen.db
    .select()
    .from(posts)
    .where(and(eq(posts.blogId, blog.id), isNotNull(posts.deletedAt), eq(posts.slug, slug)))
    .orderBy(desc(posts.deletedAt))
    .get();
}

function slugAt(platen: Platen, address: string): { blog: Blog; slug: string } | null {
  const url = URL.parse(address.trim());
  const place = url && blogAtUrl(platen, url);
  const [, segment = ""] = /^\/([^/]+)\/?$/.exec(place?.path ?? "") ?? [];
  const slug = percentDecoded(segment);
  return place && slug ? { blog: place.blog, slug } : null;
}
