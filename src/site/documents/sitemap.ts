import { blogUrl } from "../../blogs/permalinks";
import { html } from "../../html";
import { sitemapPosts } from "../../posts/reading/public-lists";
import type { BlogRequest, Document } from "../route";
import { xmlDocument } from "../text/xml";

/** How many addresses a sitemap may hold (sitemaps.org/protocol.html), the blog's own included. */
const MOST_ADDRESSES = 50_000;

/** Every address of the blog that search engines may index. */
export function sitemap({ platen, blog }: BlogRequest): Document {
  const url = blogUrl(platen, blog);
  const posts = sitemapPosts(platen, blog, MOST_ADDRESSES - 1);
  const body = xmlDocument(html`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${url}</loc></url>
${posts.map(
  ({ slug, changedAt }) =>
    html`<url><loc>${url}${slug}</loc><lastmod>${changedAt.toISOString()}</lastmod></url>\n`,
)}</urlset>`);
  return { contentType: "application/xml; charset=utf-8", body };
}
