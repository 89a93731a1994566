import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { contentsOf } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import type { BlogRequest, Document } from "../route";
import { atom } from "./atom";
import { type FeedFormat, feedOf } from "./feed";
import { contentForFeed } from "./feed-content";
import { jsonFeed } from "./json-feed";
import { rss } from "./rss";

/** Each format is available for the blog and for every category. */
export const FEED_FORMATS: FeedFormat[] = [rss, atom, jsonFeed];

/** @param slug of a category; "" for the whole blog @returns null for a category without public posts */
export function feedDocument(
  { platen, blog }: BlogRequest,
  format: FeedFormat,
  slug: string,
): Document | null {
  const feed = feedOf(platen, blog, format.name, slug || undefined);
  if (!feed) return null;
  const ids = blog.feedContent === "full" ? feed.posts.map(({ id }) => id) : [];
  const contents = contentsOf(platen, ids);
  const contentHtml = (post: Post) => {
    const content = contents.get(post.id);
    return content ? contentForFeed(platen, post, content.html) : null;
  };
  return { contentType: `${format.type}; charset=utf-8`, body: format.write(platen, feed, contentHtml) };
}

/** Feed links for the head. @param part a category, its path with a trailing slash */
export function feedLinks(platen: Platen, blog: Blog, part = { name: "", path: "" }): Html {
  const base = blogUrl(platen, blog) + part.path;
  const title = part.name ? `${blog.title}: ${part.name}` : blog.title;
  return html`${FEED_FORMATS.map(
    ({ name, type, label }) =>
      html`<link rel="alternate" type="${type}" title="${title} (${label})" href="${base}${name}">\n`,
  )}`;
}
