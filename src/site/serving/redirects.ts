import type { AddressInBlog } from "../../blogs/blog-addresses";
import { type Blog, blogUrl, postUrl } from "../../blogs/blogs";
import { type HttpResponse, redirect } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { isLive } from "../../posts/post/post";
import { publicTopic } from "../../posts/reading/public-posts";
import { formerTopic } from "../../posts/storage/categories-and-tags";
import { postWithOldSlug } from "../../posts/storage/slugs-and-permanent-ids";

/** Clients revalidate the redirect, because a slug or domain may change back. */
export function permanentRedirect(address: string): HttpResponse<null> {
  return redirect(301, address, { "cache-control": "no-cache" });
}

type HostAndPath = { host: string; path: string };

/** Returns null if the request already has the canonical URL. */
export function canonicalBlogUrl(platen: Platen, place: AddressInBlog, { host, path }: HostAndPath) {
  const { blog, path: below } = place;
  const address = blogUrl(platen, blog);
  const prefix = path.slice(0, path.length - below.length);
  const isCanonicalHost = !blog.domain || blog.domain === host;
  if (isCanonicalHost && below !== "" && `${prefix}/` === new URL(address).pathname) return null;
  return address + below.slice(1);
}

/** Query parameters with the post's number on WordPress: `/?p=7`. */
export const WORDPRESS_ID_PARAMETERS = ["p", "page_id"];

export function addressOfNumber(platen: Platen, blog: Blog, path: string, query: URLSearchParams) {
  const name = path === "/" && WORDPRESS_ID_PARAMETERS.find((one) => query.has(one));
  return name ? addressOfOldSlug(platen, blog, `?${name}=${query.get(name)}`) : null;
}

export function addressOfOldSlug(platen: Platen, blog: Blog, slug: string): string | null {
  const post = postWithOldSlug(platen, blog, slug);
  return post && isLive(post, platen.now()) ? postUrl(platen, blog, post) : null;
}

/**
 * The archive replaces a deleted topic. The name of a topic without public posts may be private, so its old
 * slugs do not redirect.
 * @param path below the blog's address: "/category/notes", "/category/notes/feed.xml", "/tag/sea"
 */
export function addressOfFormerTopic(platen: Platen, blog: Blog, path: string): string | null {
  const [, kind, slug = "", feed = ""] = /^\/(category|tag)\/([^/]+)(\/feed\.\w+)?$/.exec(path) ?? [];
  if (kind !== "category" && kind !== "tag") return null;
  const topic = formerTopic(platen, blog, kind, slug);
  const base = blogUrl(platen, blog);
  // The feed of a deleted topic does not redirect, because its subscribers did not choose all posts.
  if (topic === null) return feed === "" ? `${base}archive` : null;
  return topic && publicTopic(platen, blog, kind, topic.slug) ? `${base}${kind}/${topic.slug}${feed}` : null;
}

/** Feed paths of other blog software, for subscribers of an imported blog. */
const FORMER_FEEDS: Record<string, string> = {
  ...{ feed: "feed.xml", "feed/rss": "feed.xml", "feed/rss2": "feed.xml", "feed/atom": "feed.atom" },
  ...{ rss: "feed.xml", "rss.xml": "feed.xml", "index.xml": "feed.xml", "feed.rss": "feed.xml" },
  ...{ atom: "feed.atom", "atom.xml": "feed.atom", "index.json": "feed.json" },
};

export function addressOfFormerFeed(platen: Platen, blog: Blog, path: string): string | null {
  const [, category] = /^(category\/[^/]+)\/feed$/.exec(path) ?? [];
  const feed = category ? `${category}/feed.xml` : Object.hasOwn(FORMER_FEEDS, path) && FORMER_FEEDS[path];
  return feed ? blogUrl(platen, blog) + feed : null;
}
