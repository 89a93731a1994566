import { postUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { topicNamesOf } from "../../posts/topics/topics";
import { html } from "../../text/html";
import { displayTitle } from "../text/title-and-summary";
import { xmlDocument } from "../text/xml";
import type { Feed, FeedFormat } from "./feed";
import { summaryForFeed } from "./feed-content";

/** RSS 2.0 with content:encoded (rssboard.org/rss-profile). */
export const rss: FeedFormat = {
  name: "feed.xml",
  type: "application/rss+xml",
  label: "RSS",
  write,
};

function write(platen: Platen, feed: Feed, contentHtml: (post: Post) => string | null): string {
  return xmlDocument(html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>${feed.title}</title>
<link>${feed.url}</link>
<description>${feed.description}</description>
<language>${feed.blog.language}</language>
<lastBuildDate>${feed.changedAt.toUTCString()}</lastBuildDate>
<generator>Platen</generator>
<atom:link rel="self" type="application/rss+xml" href="${feed.self}"/>
${feed.posts.map((post) => item(platen, feed, post, contentHtml(post)))}</channel>
</rss>`);
}

/** Feed readers treat the description as HTML, so plain text is escaped twice (rss-profile 5.1.1). */
function item(platen: Platen, feed: Feed, post: Post, content: string | null) {
  return html`<item>
${post.title && html`<title>${post.title}</title>\n`}<link>${postUrl(platen, post.blog, post)}</link>
<guid isPermaLink="false">${feed.idOf(post)}</guid>
<pubDate>${(post.publishedAt as Date).toUTCString()}</pubDate>
<dc:creator>${feed.author}</dc:creator>
${topicNamesOf(post).map((topic) => html`<category>${topic}</category>\n`)}<description>${Bun.escapeHTML(summaryForFeed(platen, post) || displayTitle(platen, post))}</description>
${content !== null && html`<content:encoded>${content}</content:encoded>\n`}</item>
`;
}
