import { and, desc, isNotNull, isNull, lte, type Placeholder, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../accounts/api-keys";
import { blogAtUrl } from "../../blogs/blog-addresses";
import { type Blog, blogOfRow } from "../../blogs/blogs";
import { findRow, findRowBy, hasValues } from "../../database/rows";
import { posts } from "../../database/schema";
import { forbidden, notFound } from "../../errors";
import type { Platen } from "../../platen";
import { percentDecoded } from "../../text/clean-text";
import { isLive, type Post, type PostRow } from "../post/post";
import { findPostWithSlug, postWithOldSlug } from "../storage/slugs-and-permanent-ids";
import { postOfRow, postRow } from "../storage/stored-posts";

export type Access = Pick<Caller, "account" | "blogIds">;

/**
 * @param blogId blog that the request names, if any
 * @throws Refusal: missing, also if the post is not in that blog; forbidden if the caller has no access
 */
export function findPost(platen: Platen, caller: Access, id: number, blogId?: number): Post {
  const row = postRow(platen, id);
  if (!row || row.deletedAt) throw notFound("post");
  const blog = blogOfRow(platen, row);
  assertAccess(caller, blog, "post");
  if (blogId !== undefined && blogId !== blog.id) throw notFound("post in this blog");
  return postOfRow(platen, row, blog);
}

/** @param what noun for the error message @throws Refusal (forbidden) */
export function assertAccess(caller: Access, blog: Blog, what: string): void {
  if (blog.accountId !== caller.account.id) throw forbidden(`This ${what} belongs to another account.`);
  if (caller.blogIds && !caller.blogIds.includes(blog.id))
    throw forbidden(`This key has no access to this ${what}'s blog.`);
}

export function livePost(platen: Platen, id: number): Post | undefined {
  const row = postRow(platen, id);
  return row && isLive(row, platen.now()) ? postOfRow(platen, row) : undefined;
}

/** Finds a post in any status, but not in the trash. */
export function postAtSlug(platen: Platen, blog: Blog, slug: string): Post | undefined {
  const row = findPostWithSlug(platen, { blogId: blog.id, slug });
  return row && postOfRow(platen, row, blog);
}

const postWithShareId = findRowBy(posts, ["shareId"], isNull(posts.deletedAt));

/** Finds a post in any status, but not in the trash. */
export function sharedPost(platen: Platen, shareId: string): Post | undefined {
  const row = postWithShareId(platen, { shareId });
  return row && postOfRow(platen, row);
}

/**
 * Finds a post in any status, but not in the trash. Old slugs work too.
 * @throws Refusal: missing, forbidden
 */
export function postAtUrl(platen: Platen, caller: Access, address: string, blogId?: number): Post {
  const place = slugAt(platen, URL.parse(address.trim()));
  const found =
    place && (postAtSlug(platen, place.blog, place.slug) ?? postWithOldSlug(platen, place.blog, place.slug));
  if (!found) throw notFound("post");
  return findPost(platen, caller, found.id, blogId);
}

/** Finds a post in any status, but not in the trash. */
export function postAtPage(platen: Platen, blog: Blog, url: URL): Post | undefined {
  const place = slugAt(platen, url);
  return place?.blog.id === blog.id ? postAtSlug(platen, blog, place.slug) : undefined;
}

/**
 * If several deleted posts had this slug, returns the one that was deleted last.
 * @throws Refusal (forbidden)
 */
export function deletedPostAtUrl(platen: Platen, caller: Caller, address: string): PostRow | undefined {
  const place = slugAt(platen, URL.parse(address.trim()));
  if (!place) return undefined;
  const { blog, slug } = place;
  assertAccess(caller, blog, "post");
  return deletedPostAtSlug(platen, blog, slug) ?? postWithOldSlug(platen, blog, slug, true);
}

function deletedPostAtSlug(platen: Platen, blog: Blog, slug: string): PostRow | undefined {
  const hadSlug = and(hasValues(posts, { blogId: blog.id, slug }), isNotNull(posts.deletedAt));
  return findRow(platen, posts, hadSlug, desc(posts.deletedAt));
}

/** Whether the last deleted post with this slug was public. Finds only posts that are still in the trash. */
export function wasPostDeleted(platen: Platen, blog: Blog, slug: string): boolean {
  const row = deletedPostAtSlug(platen, blog, slug);
  return row?.deletedAt ? isLive({ ...row, deletedAt: null }, row.deletedAt) : false;
}

function slugAt(platen: Platen, url: URL | null): { blog: Blog; slug: string } | null {
  const place = url && blogAtUrl(platen, url);
  const [, segment = ""] = /^\/([^/]+)\/?$/.exec(place?.path ?? "") ?? [];
  const slug = percentDecoded(segment);
  return place && slug ? { blog: place.blog, slug } : null;
}

export function contactPage(platen: Platen, blog: Blog): Pick<PostRow, "slug"> | undefined {
  const isForm = hasValues(posts, { blogId: blog.id, type: "page", showContactForm: true });
  return findRow(platen, posts, and(isForm, liveAt(platen.now())), posts.id);
}

/** The SQL version of `isLive`. @param at time, or a placeholder for milliseconds */
export function liveAt(at: Date | Placeholder): SQL {
  return and(isPublished, lte(posts.publishedAt, at)) as SQL;
}

/** SQLite uses the partial index posts_unannounced only if the status is a literal, as in the index. */
const isPublished = and(sql`${posts.status} = 'published'`, isNull(posts.deletedAt));
