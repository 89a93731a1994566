import { blogUrl } from "../../blogs/permalinks";
import { DAY } from "../../config/units";
import { contactPage } from "../../posts/reading/finding-posts";
import { publicationUri } from "../../syndication/standard-site";
import type { BlogRequest, Document } from "../built-in-page";
import { contactPath } from "../komments/reader-page-layout";

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
  return { contentType: "text/plain; charset=utf-8", body: lines.join("\n") };
}

/** Proves that the standard.site records on Bluesky belong to this blog; null if there are none. */
export function standardSite({ platen, blog }: BlogRequest): Document | null {
  const uri = publicationUri(platen, blog);
  return uri === null ? null : { contentType: "text/plain; charset=utf-8", body: uri };
}
