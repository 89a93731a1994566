import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import { type Html, html } from "../../html";
import { joinedInTurns } from "../../http/answers/answer";
import { demandShort } from "../../http/memory/long-answers";
import type { Platen } from "../../platen";
import { contentsOf } from "../../posts/parts/post-content";
import type { BlogRequest, Document } from "../route";
import { atom } from "./atom";
import { type Feed, type FeedFormat, feedOf } from "./feed";
import { contentForFeed } from "./feed-content";
import { jsonFeed } from "./json-feed";
import { rss } from "./rss";

/** Each is a route below the blog's address and below every category's. */
export const FEED_FORMATS: FeedFormat[] = [rss, atom, jsonFeed];

/** @param slug of a category; "" for the feed of the whole blog @returns null for a category without a post to show */
export function feedDocument(
  { platen, blog, mayBeLong }: BlogRequest,
  format: FeedFormat,
  slug: string,
): Promise<Document> | null {
  const feed = feedOf(platen, blog, format.name, slug || undefined);
  if (!feed) return null;
  const bytes = feed.posts.reduce((sum, { htmlBytes }) => sum + htmlBytes, 0);
  demandShort(bytes, { mayBeLong });
  return writtenFeed(platen, feed, format);
}

/** Written without what the posts say, which then comes where each was to stand: megabytes of it in turns. */
async function writtenFeed(platen: Platen, feed: Feed, format: FeedFormat): Promise<Document> {
  // Nobody can have written it: it is made up now.
  const mark = crypto.randomUUID();
  const [before = "", ...after] = format.write(platen, feed, mark).split(mark);
  const pieces: Buffer[] = [Buffer.from(before)];
  const ids = feed.posts.map(({ id }) => id);
  const said = contentsOf(platen, ids, false);
  for (const [number, post] of feed.posts.entries()) {
    const says = said.get(post.id) ?? NOTHING;
    pieces.push(...(await contentForFeed(platen, post, says, format.escaped)));
    pieces.push(Buffer.from(after[number] ?? ""));
  }
  return { contentType: `${format.type}; charset=utf-8`, body: await joinedInTurns(pieces) };
}

const NOTHING = { longId: null };

/** Links in the head by which feed readers find the feeds. @param part a category, its path with a slash at the end */
export function feedLinks(platen: Platen, blog: Blog, part = { name: "", path: "" }): Html {
  const base = blogUrl(platen, blog) + part.path;
  const title = part.name ? `${blog.title}: ${part.name}` : blog.title;
  return html`${FEED_FORMATS.map(
    ({ name, type, label }) =>
      html`<link rel="alternate" type="${type}" title="${title} (${label})" href="${base}${name}">\n`,
  )}`;
}
