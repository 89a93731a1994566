import { blogUrl } from "../../blogs/permalinks";
import { DAY } from "../../config/units";
import { contactPage } from "../../posts/reading/finding-posts";
import { contactPath } from "../komments/komment-paths";
import type { BlogRequest, Document } from "../route";

/** Until the answer expires, in days; RFC 9116 2.5.5 wants less than a year. */
const HOLDS_FOR = 90;

/**
 * Where to report a vulnerability (RFC 9116): the contact form of the blog's first page that has one. null without such
 * a page, as e-mail addresses are never published.
 */
export function securityTxt({ platen, blog }: BlogRequest): Document | null {
  const at = platen.now();
  const page = contactPage(platen, blog);
  if (!page) return null;
  const url = blogUrl(platen, blog);
  // Counted from midnight, so that the answer stays the same all day.
  const expires = new Date((Math.floor(at.getTime() / DAY) + HOLDS_FOR) * DAY);
  const lines = [
    `Contact: ${new URL(contactPath(platen, blog, page), url)}`,
    `Expires: ${expires.toISOString()}`,
    `Preferred-Languages: ${[...new Set([blog.language, "en"])].join(", ")}`,
    `Canonical: ${new URL("/.well-known/security.txt", url)}`,
    "",
  ];
  return { contentType: "text/plain; charset=utf-8", body: lines.join("\n") };
}
