import { blogUrl } from "../../blogs/permalinks";
import { contactPage } from "../../posts/reading/contact-page";
import { contactPath } from "../komments/komment-paths";
import type { BlogRequest, Document } from "../route";

const DAY = 86_400_000;
/** How long the answer may be relied on; RFC 9116 2.5.5 wants less than a year. In days. */
const HOLDS_FOR = 90;

/**
 * Where to report a hole (RFC 9116): the contact form of the blog's first page that has one. Null without such a page:
 * an owner's e-mail address is nobody's business.
 */
export function securityTxt({ platen, blog }: BlogRequest): Document | null {
  const at = platen.now();
  const page = contactPage(platen, blog);
  if (!page) return null;
  const url = blogUrl(platen, blog);
  // Of the day, so that the answer is the same all day.
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
