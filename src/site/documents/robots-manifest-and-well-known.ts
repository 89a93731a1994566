import { type Blog, listBlogs } from "../../blogs/blogs";
import { blogUrl, homeBlog } from "../../blogs/permalinks";
import { DAY } from "../../config/units";
import type { Platen } from "../../platen";
import { contactPage } from "../../posts/reading/finding-posts";
import { publicationUri } from "../../syndication/standard-site";
import type { BlogRequest, Document } from "../built-in-page";
import { contactPath } from "../komments/reader-page-layout";
import { blogPath } from "../layout/layout";

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

/**
 * RFC 9116. Names the first page with a contact form, because e-mail addresses stay private; null if there is
 * none.
 */
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
