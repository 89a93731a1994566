import { type Blog, blogUrl, homeBlog, listBlogs } from "../../blogs/blogs";
import { DAY } from "../../config/units";
import type { Platen } from "../../platen";
import { contactPage } from "../../posts/reading/finding-posts";
import type { SitemapPost } from "../../posts/reading/public-posts";
import { changedAt, sitemapPart, sitemapParts, sitemapPosts } from "../../posts/reading/public-posts";
import { translationsOf } from "../../posts/storage/translations";
import { publicationUri } from "../../syndication/standard-site";
import { type Html, html, xmlDocument } from "../../text/html";
import { contactPath } from "../komments/reader-page-layout";
import { blogPath } from "../layout/layout";
import type { BlogRequest, Document } from "../route-types";
import { alternates } from "../titles-dates-and-languages";

/** The sitemap protocol allows 50,000 URLs, but so many would take a second. */
const MAX_SITEMAP_POSTS = 1000;

/** A large blog gets an index (sitemaps.org/protocol.html#index). */
export async function sitemap({ platen, blog, query }: BlogRequest): Promise<Document | null> {
  const part = query.get("part");
  if (part !== null) {
    const posts = /^[1-9]\d{0,9}$/.test(part) ? sitemapPart(platen, blog, Number(part)) : [];
    return posts.length > 0 ? urlSet(platen, blog, posts, part === "1") : null;
  }
  const newest = sitemapPosts(platen, blog, MAX_SITEMAP_POSTS + 1);
  return newest.length > MAX_SITEMAP_POSTS ? sitemapIndex(platen, blog) : urlSet(platen, blog, newest, true);
}

function urlSet(platen: Platen, blog: Blog, posts: SitemapPost[], withBlog: boolean): Document {
  const url = blogUrl(platen, blog);
  const translations = translationsOf(platen, blog, posts);
  const links = (post: SitemapPost) =>
    alternates(translations.get(post.id) ?? []).map(
      (one) => html`<xhtml:link rel="alternate" hreflang="${one.language}" href="${one.url}"/>`,
    );
  const namespace = translations.size > 0 && html` xmlns:xhtml="http://www.w3.org/1999/xhtml"`;
  return document(html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"${namespace}>
${withBlog && html`<url><loc>${url}</loc></url>\n`}${posts.map(
  (post) =>
    html`<url><loc>${url}${post.slug}</loc><lastmod>${changedAt(post).toISOString()}</lastmod>${links(post)}</url>\n`,
)}</urlset>`);
}

async function sitemapIndex(platen: Platen, blog: Blog): Promise<Document> {
  const parts = await sitemapParts(platen, blog);
  const address = `${blogUrl(platen, blog)}sitemap.xml`;
  return document(html`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${parts.map((part) => html`<sitemap><loc>${address}?part=${part}</loc></sitemap>\n`)}</sitemapindex>`);
}

function document(root: Html): Document {
  return { contentType: "application/xml; charset=utf-8", body: xmlDocument(root) };
}

const TEXT = "text/plain; charset=utf-8";

/** RFC 9309. Crawlers read robots.txt only at the root, so the home blog also covers the blogs below it. */
export function robots({ platen, blog }: BlogRequest): Document {
  const blogs = [blog, ...blogsBelow(platen, blog)];
  const lines = [
    "User-agent: *",
    ...blogs.map((one) => `Disallow: ${blogPath(platen, one)}search`),
    "",
    ...blogs.map((one) => `Sitemap: ${blogUrl(platen, one)}sitemap.xml`),
    "",
  ];
  return { contentType: TEXT, body: lines.join("\n") };
}

function blogsBelow(platen: Platen, blog: Blog): Blog[] {
  if (blog.domain || homeBlog(platen)?.id !== blog.id) return [];
  return listBlogs(platen).filter((other) => other.id !== blog.id && !other.domain);
}

export function manifest({ platen, blog }: BlogRequest): Document {
  const base = blogPath(platen, blog);
  const icons = [192, 512].map((size) => ({
    src: `${base}icon-${size}.png`,
    type: "image/png",
    sizes: `${size}x${size}`,
  }));
  const body = JSON.stringify({
    name: blog.title,
    description: blog.description || undefined,
    lang: blog.language,
    start_url: base,
    scope: base,
    display: "minimal-ui",
    icons: [{ src: `${base}favicon.svg`, type: "image/svg+xml", sizes: "any" }, ...icons],
  });
  return { contentType: "application/manifest+json; charset=utf-8", body };
}

/** RFC 9116 2.5.5 recommends less than a year. */
const EXPIRES_AFTER_DAYS = 90;

/** RFC 9116. Names the first page with a contact form, because e-mail addresses stay private. */
export function securityTxt({ platen, blog }: BlogRequest): Document | null {
  const at = platen.now();
  const page = contactPage(platen, blog);
  if (!page) return null;
  const url = blogUrl(platen, blog);
  // Counts from midnight, so that the document is the same all day.
  const expires = new Date((Math.floor(at.getTime() / DAY) + EXPIRES_AFTER_DAYS) * DAY);
  const lines = [
    `Contact: ${new URL(contactPath(platen, blog, page), url)}`,
    `Expires: ${expires.toISOString()}`,
    `Preferred-Languages: ${[...new Set([blog.language, "en"])].join(", ")}`,
    `Canonical: ${new URL("/.well-known/security.txt", url)}`,
    "",
  ];
  return { contentType: TEXT, body: lines.join("\n") };
}

/** Proves that the standard.site records on Bluesky belong to this blog; null if there are none. */
export function standardSite({ platen, blog }: BlogRequest): Document | null {
  const uri = publicationUri(platen, blog);
  return uri === null ? null : { contentType: TEXT, body: uri };
}
