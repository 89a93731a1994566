import { type Blog, blogUrl, ownerName, postUrl } from "../blogs/blogs";
import { mediaPath } from "../media/files/media-urls";
import { hubOf } from "../mentions/mention-settings";
import type { Platen } from "../platen";
import { MAX_EXCERPT_LENGTH } from "../posts/content/plain-text-and-excerpts";
import { replyContext } from "../posts/content/reply-context";
import { insertBaseUrl } from "../posts/post/mf2-properties";
import { languageOf, type Post, previewImage } from "../posts/post/post";
import { changedAt, feedPosts, publicLanguages, publicTopic } from "../posts/reading/public-posts";
import { topicNamesOf } from "../posts/storage/categories-and-tags";
import { permanentIds } from "../posts/storage/slugs-and-permanent-ids";
import { contentsOf } from "../posts/storage/stored-posts";
import { type Html, html, xmlDocument } from "../text/html";
import { withAbsoluteAddresses } from "../text/web-urls";
import type { BlogRequest } from "./route-types";
import { displayTitle, languageName, summaryOf } from "./titles-dates-and-languages";

const POSTS_PER_FEED = 30;

type FeedFormat = (typeof FEED_FORMATS)[number];

export const FEED_FORMATS = [
  { name: "feed.xml", type: "application/rss+xml", label: "RSS", write: writeRss },
  { name: "feed.atom", type: "application/atom+xml", label: "Atom", write: writeAtom },
  { name: "feed.json", type: "application/feed+json", label: "JSON Feed", write: writeJson },
] as const;

/** @param slug slug of a category; "" for the whole blog */
export function feedDocument({ platen, blog, query }: BlogRequest, format: FeedFormat, slug: string) {
  const feed = feedOf(platen, blog, format.name, slug, query.get("lang"));
  if (!feed) return null;
  // Subscribers look for this header before they parse the feed (W3C WebSub 4).
  const links = feed.hub === null ? undefined : `<${feed.hub}>; rel="hub", <${feed.self}>; rel="self"`;
  return { contentType: `${format.type}; charset=utf-8`, body: format.write(platen, feed), links };
}

/** @param part name of a category, and its path with a trailing slash */
export function feedLinks(platen: Platen, blog: Blog, part = { name: "", path: "" }): Html {
  const base = blogUrl(platen, blog) + part.path;
  const title = part.name ? `${blog.title}: ${part.name}` : blog.title;
  return html`${FEED_FORMATS.map(
    ({ name, type, label }) =>
      html`<link rel="alternate" type="${type}" title="${title} (${label})" href="${base}${name}">\n`,
  )}`;
}

export function languageFeedLinks(platen: Platen, blog: Blog): Html[] | null {
  const languages = publicLanguages(platen, blog);
  if (languages.length < 2) return null;
  return languages.map(
    (language) =>
      html`<link rel="alternate" type="application/rss+xml" hreflang="${language}" title="${blog.title}: ${languageName(language)} (RSS)" href="${blogUrl(platen, blog)}feed.xml?lang=${language}">\n`,
  );
}

type Feed = NonNullable<ReturnType<typeof feedOf>>;

function feedOf(platen: Platen, blog: Blog, name: string, slug: string, language: string | null) {
  const category = slug === "" ? undefined : publicTopic(platen, blog, "category", slug);
  if (category === null) return null;
  if (language !== null && !publicLanguages(platen, blog).includes(language)) return null;
  const idOf = permanentIds(platen);
  const url = blogUrl(platen, blog);
  const filter = { categoryId: category?.id, language: language ?? undefined };
  const posts = feedPosts(platen, blog, { ...filter, limit: POSTS_PER_FEED });
  const contents = contentsOf(platen, blog.feedContent === "full" ? posts.map(({ id }) => id) : []);
  const query = language === null ? "" : `?lang=${language}`;
  const partName = category?.name ?? (language && languageName(language));
  const id = category ? idOf("category", category.id) : idOf("blog", blog.id);
  const changes = [blog.updatedAt, ...posts.map(changedAt)];
  return {
    blog,
    language: language ?? blog.language,
    id: language === null ? id : `${id}:${language.toLowerCase()}`,
    title: partName ? `${blog.title}: ${partName}` : blog.title,
    url: (category ? `${url}category/${category.slug}` : url) + query,
    self: (category ? `${url}category/${category.slug}/${name}` : url + name) + query,
    // Hubs are not pinged for the feeds of a language.
    hub: language === null ? hubOf(blog) : null,
    author: ownerName(platen, blog),
    changedAt: new Date(Math.max(...changes.map(Number))),
    posts,
    idOf: (post: Post) => idOf("post", post.id),
    /** Returns null if the feed contains only summaries. */
    contentOf: (post: Post) => {
      const content = contents.get(post.id);
      if (!content) return null;
      const whole = `${replyContext(post.properties) ?? ""}${content.html}`;
      return withAbsoluteAddresses(insertBaseUrl(whole, platen.config.url), postUrl(platen, blog, post));
    },
  };
}

function summaryForFeed(platen: Platen, post: Post): string {
  return summaryOf(platen, post, MAX_EXCERPT_LENGTH);
}

/** Entries need a title (RFC 4287 4.1.2), so notes use `displayTitle`. */
function writeAtom(platen: Platen, feed: Feed): string {
  return xmlDocument(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${feed.language}">
<id>${feed.id}</id>
<title>${feed.title}</title>
${feed.blog.description && html`<subtitle>${feed.blog.description}</subtitle>\n`}<updated>${feed.changedAt.toISOString()}</updated>
<author><name>${feed.author}</name><uri>${feed.url}</uri></author>
<generator>Platen</generator>
<link rel="self" type="application/atom+xml" href="${feed.self}"/>
${feed.hub && html`<link rel="hub" href="${feed.hub}"/>\n`}<link rel="alternate" type="text/html" href="${feed.url}"/>
${feed.posts.map((post) => atomEntry(platen, feed, post))}</feed>`);
}

function atomEntry(platen: Platen, feed: Feed, post: Post) {
  const content = feed.contentOf(post);
  const language = languageOf(post, post.blog);
  return html`<entry${language !== feed.language && html` xml:lang="${language}"`}>
<id>${feed.idOf(post)}</id>
<title>${displayTitle(platen, post)}</title>
<link rel="alternate" type="text/html" href="${postUrl(platen, post.blog, post)}"/>
<published>${(post.publishedAt as Date).toISOString()}</published>
<updated>${changedAt(post).toISOString()}</updated>
${topicNamesOf(post).map((topic) => html`<category term="${topic}"/>\n`)}<summary>${summaryForFeed(platen, post)}</summary>
${content !== null && html`<content type="html">${content}</content>\n`}</entry>
`;
}

function writeRss(platen: Platen, feed: Feed): string {
  return xmlDocument(html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>${feed.title}</title>
<link>${feed.url}</link>
<description>${feed.blog.description || feed.blog.title}</description>
<language>${feed.language}</language>
<lastBuildDate>${feed.changedAt.toUTCString()}</lastBuildDate>
<generator>Platen</generator>
<atom:link rel="self" type="application/rss+xml" href="${feed.self}"/>
${feed.hub && html`<atom:link rel="hub" href="${feed.hub}"/>\n`}${feed.posts.map((post) => rssItem(platen, feed, post))}</channel>
</rss>`);
}

/** Feed readers treat the description as HTML, so plain text is escaped twice (RSS Best Practices Profile). */
function rssItem(platen: Platen, feed: Feed, post: Post) {
  const content = feed.contentOf(post);
  return html`<item>
${post.title && html`<title>${post.title}</title>\n`}<link>${postUrl(platen, post.blog, post)}</link>
<guid isPermaLink="false">${feed.idOf(post)}</guid>
<pubDate>${(post.publishedAt as Date).toUTCString()}</pubDate>
<dc:creator>${feed.author}</dc:creator>
${post.language && html`<dc:language>${post.language}</dc:language>\n`}${topicNamesOf(post).map((topic) => html`<category>${topic}</category>\n`)}<description>${Bun.escapeHTML(summaryForFeed(platen, post) || displayTitle(platen, post))}</description>
${content !== null && html`<content:encoded>${content}</content:encoded>\n`}</item>
`;
}

function writeJson(platen: Platen, feed: Feed): string {
  return JSON.stringify({
    version: "https://jsonfeed.org/version/1.1",
    title: feed.title,
    home_page_url: feed.url,
    feed_url: feed.self,
    description: feed.blog.description || undefined,
    language: feed.language,
    authors: [{ name: feed.author, url: feed.url }],
    hubs: feed.hub === null ? undefined : [{ type: "WebSub", url: feed.hub }],
    items: feed.posts.map((post) => jsonItem(platen, feed, post)),
  });
}

function jsonItem(platen: Platen, feed: Feed, post: Post) {
  const content = feed.contentOf(post);
  const preview = previewImage(post);
  const topics = topicNamesOf(post);
  const summary = summaryForFeed(platen, post);
  return {
    id: feed.idOf(post),
    url: postUrl(platen, post.blog, post),
    title: post.title || undefined,
    language: post.language ?? undefined,
    ...(content === null ? { content_text: summary } : { content_html: content }),
    summary: summary || undefined,
    image: preview && platen.config.url + mediaPath(preview),
    date_published: (post.publishedAt as Date).toISOString(),
    date_modified: changedAt(post).toISOString(),
    tags: topics.length > 0 ? topics : undefined,
  };
}
