import type { Blog } from "../../blogs/blogs";
import { blogUrl, postUrl } from "../../blogs/permalinks";
import { type HttpResponse, redirect } from "../../http/responses/response";
import type { Platen } from "../../platen";
import { isLive } from "../../posts/post/live";
import { publicTopic } from "../../posts/reading/public-topics";
import { postWithOldSlug } from "../../posts/storage/old-slugs";
import { formerTopic } from "../../posts/topics/topics";

/** To where something is now. For good, and still asked again each time: a slug or a domain may change back. */
export function movedTo(address: string): HttpResponse<null> {
  return redirect(301, address, { "cache-control": "no-cache" });
}

/**
 * Every blog has one address, and other ways to it lead there.
 * @param prefix of the path, above what is the blog's own: "" or "/@slug"
 * @returns the address, or null for who is there
 */
export function blogAddressInstead(
  platen: Platen,
  blog: Blog,
  { host, prefix, below }: { host: string; prefix: string; below: string },
): string | null {
  const address = blogUrl(platen, blog);
  const isItsHost = !blog.domain || blog.domain === host;
  if (isItsHost && below !== "" && `${prefix}/` === new URL(address).pathname) return null;
  return address + below.slice(1);
}

/** Which of a post's numbers elsewhere its address held: WordPress has `/?p=7` for each, whatever else leads to it. */
export const NUMBERS = ["p", "page_id"];

/** The address of the live post that was imported with this number, or null. */
export function addressOfNumber(
  platen: Platen,
  blog: Blog,
  path: string,
  query: URLSearchParams,
): string | null {
  const name = path === "/" && NUMBERS.find((one) => query.has(one));
  return name ? addressOfOldSlug(platen, blog, `?${name}=${query.get(name)}`) : null;
}

/** The address of the live post that used to have this slug, or null. */
export function addressOfOldSlug(platen: Platen, blog: Blog, slug: string): string | null {
  const post = postWithOldSlug(platen, blog, slug);
  return post && isLive(post, platen.now()) ? postUrl(platen, blog, post) : null;
}

/**
 * Where a category or tag that was renamed, merged or deleted is now: readers of a deleted one are led to the archive.
 * Null where none was at the path, or readers would find nothing: its name may be a secret still.
 * @param path below the blog's address: "/category/notes", "/category/notes/feed.xml", "/tag/sea"
 */
export function addressOfFormerTopic(platen: Platen, blog: Blog, path: string): string | null {
  const [, kind, slug = "", feed = ""] = /^\/(category|tag)\/([^/]+)(\/feed\.\w+)?$/.exec(path) ?? [];
  if (kind !== "category" && kind !== "tag") return null;
  const topic = formerTopic(platen, blog, kind, slug);
  const base = blogUrl(platen, blog);
  // A feed of what is gone ends: its readers did not ask for all that the blog has.
  if (topic === null) return feed === "" ? `${base}archive` : null;
  return topic && publicTopic(platen, blog, kind, topic.slug) ? `${base}${kind}/${topic.slug}${feed}` : null;
}

/** Where other programs have a blog's feeds: whoever reads one of a blog that has moved here goes on reading. */
const FORMER_FEEDS: Record<string, string> = {
  ...{ feed: "feed.xml", "feed/rss": "feed.xml", "feed/rss2": "feed.xml", "feed/atom": "feed.atom" },
  ...{ rss: "feed.xml", "rss.xml": "feed.xml", "index.xml": "feed.xml", "feed.rss": "feed.xml" },
  ...{ atom: "feed.atom", "atom.xml": "feed.atom", "index.json": "feed.json" },
};

/** @param path below the blog's address, without a slash at either end; nothing else is there */
export function addressOfFormerFeed(platen: Platen, blog: Blog, path: string): string | null {
  const [, category] = /^(category\/[^/]+)\/feed$/.exec(path) ?? [];
  const feed = category ? `${category}/feed.xml` : Object.hasOwn(FORMER_FEEDS, path) && FORMER_FEEDS[path];
  return feed ? blogUrl(platen, blog) + feed : null;
}
