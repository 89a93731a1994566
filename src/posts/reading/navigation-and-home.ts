import { and, desc, eq, inArray } from "drizzle-orm";
import { blogAtUrl } from "../../blogs/blog-addresses";
import type { Blog } from "../../blogs/blogs";
import { isBelowBlog, type NavigationLink } from "../../blogs/navigation-links";
import { MAX_LENGTHS } from "../../config/request-limits";
import { findRows } from "../../database/rows";
import { posts } from "../../database/schema";
import { invalid } from "../../errors";
import type { Platen } from "../../platen";
import { type Category, isLive, type PostRow } from "../post/post";
import { categoryOfBlog, topicAtSlug } from "../storage/categories-and-tags";
import { postRow } from "../storage/stored-posts";
import { postAtSlug } from "./finding-posts";
import { publicTopic } from "./public-posts";

type BlogPlace = { postId: number } | { categoryId: number };

function linkTargetAt(platen: Platen, blog: Blog, address: string): BlogPlace | null {
  const path = pathBelow(platen, blog, address.trim());
  const [, topic, slug] = /^\/(category\/)?([^/]+)\/?$/.exec(path ?? "") ?? [];
  if (!slug) return null;
  const found = topic ? topicAtSlug(platen, "category", blog.id, slug) : postAtSlug(platen, blog, slug);
  if (!found) return null;
  return topic ? { categoryId: found.id } : { postId: found.id };
}

function pathBelow(platen: Platen, blog: Blog, address: string): string | null {
  if (address.length > MAX_LENGTHS.webAddress) return null;
  if (address.startsWith("/")) return address;
  const url = URL.parse(address);
  const place = url && blogAtUrl(platen, url);
  return place?.blog.id === blog.id && url?.search === "" && url.hash === "" ? place.path : null;
}

/** Includes posts in the trash. */
export function linkedPosts(platen: Platen, blog: Blog, ids: number[]): Map<number, PostRow> {
  if (ids.length === 0) return new Map();
  const rows = findRows(platen, posts, and(inArray(posts.id, ids), eq(posts.blogId, blog.id)));
  return new Map(rows.map((row) => [row.id, row]));
}

export const MAX_SUGGESTED_PAGES = 100;

export function suggestedPages(platen: Platen, blog: Blog): PostRow[] {
  const shown = { blogId: blog.id, deletedAt: null, status: "published", type: "page" } as const;
  const orderBy = [desc(posts.updatedAt), desc(posts.id)];
  return findRows(platen, posts, shown, { orderBy, limit: MAX_SUGGESTED_PAGES });
}

export type HomeChoice = Pick<Blog, "homePostId" | "homeCategoryId">;

/**
 * @param address "/about", "/category/notes" or a full URL; "" for the newest posts
 * @throws Refusal (invalid) for `home`
 */
export function parseHome(platen: Platen, blog: Blog, address: string): HomeChoice {
  if (address.trim() === "") return { homePostId: null, homeCategoryId: null };
  const place = linkTargetAt(platen, blog, address);
  if (place && "categoryId" in place) return { homePostId: null, homeCategoryId: place.categoryId };
  if (place && postRow(platen, place.postId)?.type === "page")
    return { homePostId: place.postId, homeCategoryId: null };
  throw invalid({ home: ["must be the address of a page or category of this blog, like /about"] });
}

/** May be unpublished, but not in the trash. */
export function chosenPage(platen: Platen, blog: Blog): PostRow | undefined {
  const page = postRow(platen, blog.homePostId);
  return page?.blogId === blog.id && page.deletedAt === null ? page : undefined;
}

export function homePost(platen: Platen, blog: Blog): PostRow | undefined {
  const page = chosenPage(platen, blog);
  return page && isLive(page, platen.now()) ? page : undefined;
}

export function homeCategory(platen: Platen, blog: Blog): Category | undefined {
  const id = blog.homeCategoryId;
  return id === null ? undefined : categoryOfBlog(platen, blog.id, id);
}

export type TypedLink = { label: string; to: string };

/** Does not validate the links. `configureBlog` does. */
export function parseNavigation(platen: Platen, blog: Blog, typed: TypedLink[]): NavigationLink[] {
  const current = new Map(resolveNavigation(platen, blog).map(({ link, address }) => [address, link]));
  return typed.map(({ label, to }) => {
    const [name, address] = [label.trim(), to.trim()];
    // `linkTargetAt` does not find a post in the trash. Its link is kept, because the post may be restored.
    const { label: _, ...place } = current.get(address) ?? { label, address };
    return { label: name, ...(linkTargetAt(platen, blog, address) ?? place) };
  });
}

/** `path`: below the blog's URL, without a leading slash; null for other addresses. */
export type ResolvedLink = { link: NavigationLink; address: string; path: string | null; isShown: boolean };

export function resolveNavigation(platen: Platen, blog: Blog): ResolvedLink[] {
  const { navigation } = blog;
  const ids = navigation.flatMap((link) => ("postId" in link ? [link.postId] : []));
  const posts = linkedPosts(platen, blog, ids);
  return navigation.flatMap((link): ResolvedLink[] => {
    if ("address" in link) {
      const path = isBelowBlog(link.address) ? link.address.slice(1) : null;
      return [{ link, address: link.address, path, isShown: true }];
    }
    if ("categoryId" in link) {
      const slug = categoryOfBlog(platen, blog.id, link.categoryId)?.slug;
      if (slug === undefined) return [];
      const path = `category/${slug}`;
      const isShown = publicTopic(platen, blog, "category", slug) !== null;
      return [{ link, address: `/${path}`, path, isShown }];
    }
    const post = posts.get(link.postId);
    if (!post) return [];
    const path = post.id === blog.homePostId ? "" : post.slug;
    return [{ link, address: `/${post.slug}`, path, isShown: isLive(post, platen.now()) }];
  });
}
