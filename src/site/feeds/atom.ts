import { postUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { changedAt } from "../../posts/reading/public-posts";
import { topicNamesOf } from "../../posts/topics/topics";
import { html } from "../../text/html";
import { displayTitle } from "../text/title-and-summary";
import { xmlDocument } from "../text/xml";
import type { Feed, FeedFormat } from "./feed";
import { summaryForFeed } from "./feed-content";

/** Atom (RFC 4287). Entries need a title (4.1.2), so a note has an excerpt as its title. */
export const atom: FeedFormat = {
  name: "feed.atom",
  type: "application/atom+xml",
  label: "Atom",
  write,
};

function write(platen: Platen, feed: Feed, contentHtml: (post: Post) => string | null): string {
  return xmlDocument(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${feed.blog.language}">
<id>${feed.id}</id>
<title>${feed.title}</title>
${feed.blog.description && html`<subtitle>${feed.blog.description}</subtitle>\n`}<updated>${feed.changedAt.toISOString()}</updated>
<author><name>${feed.author}</name><uri>${feed.url}</uri></author>
<generator>Platen</generator>
<link rel="self" type="application/atom+xml" href="${feed.self}"/>
<link rel="alternate" type="text/html" href="${feed.url}"/>
${feed.posts.map((post) => entry(platen, feed, post, contentHtml(post)))}</feed>`);
}

function entry(platen: Platen, feed: Feed, post: Post, content: string | null) {
  return html`<entry>
<id>${feed.idOf(post)}</id>
<title>${displayTitle(platen, post)}</title>
<link rel="alternate" type="text/html" href="${postUrl(platen, post.blog, post)}"/>
<published>${(post.publishedAt as Date).toISOString()}</published>
<updated>${changedAt(post).toISOString()}</updated>
${topicNamesOf(post).map((topic) => html`<category term="${topic}"/>\n`)}<summary>${summaryForFeed(platen, post)}</summary>
${content !== null && html`<content type="html">${content}</content>\n`}</entry>
`;
}
