import { and, desc, eq, isNotNull } from "drizzle-orm";
import type { Caller } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import { placeOf } from "../../blogs/permalinks";
import { oldSlugs, posts } from "../../database/schema";
import { notFound } from "../../errors";
import type { Platen } from "../../platen";
import type { Post, PostRow } from "../post/post";
import { postAtSlug, postOf, postOnceAt, requireReach } from "./post-by-id";

/**
 * The caller's own post at a public address, seen by readers or not; an address it used to have leads to it too.
 * @param blogId the blog the caller says it is in
 * @throws Refusal: missing, or forbidden
 */
export function postAtAddress(platen: Platen, caller: Caller, address: string, blogId?: number): Post {
  const place = slugAt(platen, address);
  if (!place) throw notFound("post");
  const found = postAtSlug(platen, place.blog, place.slug) ?? postOnceAt(platen, place.blog, place.slug);
  if (!found) throw notFound("post");
  return postOf(platen, caller, found.id, blogId);
}

/** The post last deleted of those that were at this address. @throws Refusal (forbidden) */
export function deletedPostAtAddress(platen: Platen, caller: Caller, address: string): PostRow | undefined {
  const place = slugAt(platen, address);
  if (!place) return undefined;
  requireReach(caller, place.blog, "post");
  const { blog, slug } = place;
  const deleted = and(eq(posts.blogId, blog.id), isNotNull(posts.deletedAt));
  const latest = desc(posts.deletedAt);
  return (
    platen.db
      .select()
      .from(posts)
      .where(and(deleted, eq(posts.slug, slug)))
      .orderBy(latest)
      .get() ??
    platen.db
      .select({ post: posts })
      .from(oldSlugs)
      .innerJoin(posts, eq(posts.id, oldSlugs.postId))
      .where(and(deleted, eq(oldSlugs.slug, slug), eq(oldSlugs.blogId, blog.id)))
      .orderBy(latest)
      .get()?.post
  );
}

/** An address that is not on one of our hosts is none of ours, although any host gets the home blog (contract.md 1). */
function slugAt(platen: Platen, address: string): { blog: Blog; slug: string } | null {
  const url = URL.parse(address.trim());
  const place = url && placeOf(platen, url.hostname, url.pathname);
  if (!url || !place) return null;
  const isOurs = url.host === new URL(platen.config.url).host || url.hostname === place.blog.domain;
  const segment = /^\/([^/]+)\/?$/.exec(place.path)?.[1];
  if (!isOurs || !segment) return null;
  try {
    return { blog: place.blog, slug: decodeURIComponent(segment) };
  } catch {
    return null;
  }
}
