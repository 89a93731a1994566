import type { Blog } from "../../blogs/blogs";
import { blogUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import {
  changedAt,
  type SitemapPost,
  sitemapPart,
  sitemapParts,
  sitemapPosts,
} from "../../posts/reading/public-posts";
import { translationsOf } from "../../posts/storage/translations";
import { type Html, html } from "../../text/html";
import type { BlogRequest, Document } from "../built-in-page";
import { alternates } from "../text/language";
import { xmlDocument } from "../text/xml";

/** The sitemap protocol allows 50,000 URLs, but so many would take a second. */
const MAX_SITEMAP_POSTS = 1000;

/** A large blog gets an index (sitemaps.org/protocol.html#index). */
export async function sitemap({ platen, blog, query }: BlogRequest): Promise<Document | null> {
  const part = query.get("part");
  if (part !== null) return sitemapPartDocument(platen, blog, part);
  const newest = sitemapPosts(platen, blog, MAX_SITEMAP_POSTS + 1);
  return newest.length > MAX_SITEMAP_POSTS ? sitemapIndex(platen, blog) : urlSet(platen, blog, newest, true);
}

function sitemapPartDocument(platen: Platen, blog: Blog, part: string): Document | null {
  const posts = /^[1-9]\d{0,9}$/.test(part) ? sitemapPart(platen, blog, Number(part)) : [];
  return posts.length > 0 ? urlSet(platen, blog, posts, part === "1") : null;
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
