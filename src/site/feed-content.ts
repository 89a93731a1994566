import { postUrl } from "../blogs/addresses";
import type { Platen } from "../platen";
import { withBase } from "../posts/content";
import { contextAbove } from "../posts/context";
import type { FedPost } from "../posts/shown";

/** A post's HTML for reading somewhere else, with what it answers or is about: every address in it is absolute. */
export function contentForElsewhere(platen: Platen, post: FedPost): string {
  const content = `${contextAbove(post.properties) ?? ""}${withBase(post.html, platen.config.url)}`;
  return withAbsoluteAddresses(content, postUrl(platen, post.blog, post));
}

/**
 * Sanitised HTML has `<` in tags only and every attribute in double quotes. The addresses are left escaped as they
 * are: resolving does not touch what `&amp;` is made of.
 */
function withAbsoluteAddresses(html: string, base: string): string {
  return html.replace(/<[^>]+>/g, (tag) =>
    tag.replace(/(\s(?:href|src|poster|cite)=")([^"]*)"/g, (whole, start, address) =>
      hasScheme(address) ? whole : `${start}${URL.parse(address, base)?.href ?? address}"`,
    ),
  );
}

function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(address);
}
