import { asc } from "drizzle-orm";
import { MAX_LENGTHS } from "../config/request-limits";
import { prepared } from "../database/rows";
import { blogs } from "../database/schema";
import type { Platen } from "../platen";
import { type Blog, isNotBeingRemoved } from "./blogs";

/** Its URL is the base URL, unless the blog has a domain. */
export function homeBlog(platen: Platen): Blog | undefined {
  return first(platen).get();
}

const first = prepared((db) =>
  db.select().from(blogs).where(isNotBeingRemoved(blogs.id)).orderBy(asc(blogs.id)).limit(1).prepare(),
);

/** Cached by the blog's row, because lists need the URL for every post. */
const urls = new WeakMap<object, string>();

export function blogUrl(platen: Platen, blog: Pick<Blog, "id" | "slug" | "domain">): string {
  return urls.getOrInsertComputed(blog, () => {
    const { id, slug, domain } = blog;
    const { url } = platen.config;
    const { protocol, port } = new URL(url);
    if (domain) return `${protocol}//${domain}${port && `:${port}`}/`;
    return homeBlog(platen)?.id === id ? `${url}/` : `${url}/@${slug}/`;
  });
}

export function postUrl(platen: Platen, blog: Pick<Blog, "id" | "slug" | "domain">, post: { slug: string }) {
  return blogUrl(platen, blog) + post.slug;
}

/** Begins with the base URL, so that the link works even after the blog has moved. */
export function shareUrl(platen: Platen, shareId: string): string {
  return `${platen.config.url}/share/${shareId}`;
}

/** Ignores case, scheme and trailing slashes: "example.com/@ada" is the page "https://example.com/@ada/". */
export function isSamePage(typed: string, url: string): boolean {
  return typed.length <= MAX_LENGTHS.webAddress && bareAddress(typed) === bareAddress(url);
}

function bareAddress(text: string): string {
  const address = text.trim().toLowerCase();
  const start = /^https?:\/\//.exec(address)?.[0].length ?? 0;
  let end = address.length;
  while (end > start && address[end - 1] === "/") end--;
  return address.slice(start, end);
}
