import { asc } from "drizzle-orm";
import { MAX_LENGTHS } from "../config/request-limits";
import { prepared } from "../database/prepared";
import { blogs } from "../database/schema";
import type { Platen } from "../platen";
import { type Blog, blogAtHost, blogWithSlugEver, isNotBeingRemoved } from "./blogs";

/** The instance's first blog, which lives at the base address. */
export function homeBlog(platen: Platen): Blog | undefined {
  return first(platen).get();
}

const first = prepared((db) =>
  db.select().from(blogs).where(isNotBeingRemoved(blogs.id)).orderBy(asc(blogs.id)).limit(1).prepare(),
);

/** Asked for with every post of a list; a row that was read has one address for as long as it is held. */
const known = new WeakMap<object, string>();

/** Where a blog's pages begin, with a slash at the end (contract.md 3). */
export function blogUrl(platen: Platen, blog: Pick<Blog, "id" | "slug" | "domain">): string {
  const url = known.get(blog) ?? urlOf(platen, blog);
  known.set(blog, url);
  return url;
}

function urlOf(platen: Platen, { id, slug, domain }: Pick<Blog, "id" | "slug" | "domain">): string {
  if (domain) return `${originOf(platen, domain)}/`;
  if (homeBlog(platen)?.id === id) return `${platen.config.url}/`;
  return `${platen.config.url}/@${slug}/`;
}

export function postUrl(
  platen: Platen,
  blog: Pick<Blog, "id" | "slug" | "domain">,
  post: { slug: string },
): string {
  return blogUrl(platen, blog) + post.slug;
}

/** The same for every blog: whoever has it need not know where the blog is (contract.md 3). */
export function shareUrl(platen: Platen, shareId: string): string {
  return `${platen.config.url}/share/${shareId}`;
}

/** A blog's own domain is served with the scheme and port of the base address. */
function originOf(platen: Platen, domain: string): string {
  const base = new URL(platen.config.url);
  return `${base.protocol}//${domain}${base.port ? `:${base.port}` : ""}`;
}

/** Is this address, as somebody may have typed it ("example.com/@ada"), that of this page ("https://example.com/@ada/")? */
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

/** A blog and the path inside it, which is empty or begins with "/": the home blog's `/hello` is `/@slug/hello` elsewhere. */
interface AddressInBlog {
  blog: Blog;
  path: string;
}

/**
 * Which blog an address belongs to; undefined where it names no blog, or there is none yet.
 * @param host the request's host name, without port; an unknown one gets the home blog
 * @param path the request's path, percent-encoding left as it came
 */
export function blogAtAddress(platen: Platen, host: string, path: string): AddressInBlog | undefined {
  const own = blogAtHost(platen, host.toLowerCase());
  if (own) return { blog: own, path };
  const named = /^\/@([^/]+)(\/.*)?$/.exec(path);
  if (named) {
    const blog = blogWithSlugEver(platen, named[1] as string);
    return blog && { blog, path: named[2] ?? "" };
  }
  const home = homeBlog(platen);
  return home && { blog: home, path };
}

/** The same of a whole address; none that is not on one of our hosts is ours, although any host gets the home blog (contract.md 1). */
export function blogAtUrl(platen: Platen, url: URL): AddressInBlog | undefined {
  const place = blogAtAddress(platen, url.hostname, url.pathname);
  const isOurs = url.host === new URL(platen.config.url).host || url.hostname === place?.blog.domain;
  return isOurs ? place : undefined;
}
