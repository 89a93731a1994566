import { postUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { MAX_EXCERPT_LENGTH } from "../../posts/content/excerpt";
import { replyContext } from "../../posts/content/reply-context";
import { insertBaseUrl } from "../../posts/post/mf2-properties";
import type { Post } from "../../posts/post/post";
import { summaryOf } from "../text/title-and-summary";

/** A post's HTML for feed readers, below what it replies to; every address in it is absolute. */
export function contentForFeed(platen: Platen, post: Post, html: string): string {
  const whole = `${replyContext(post.properties) ?? ""}${html}`;
  return withAbsoluteAddresses(insertBaseUrl(whole, platen.config.url), postUrl(platen, post.blog, post));
}

/** As long as the excerpts that are kept; "" where a post has nothing to say. */
export function summaryForFeed(platen: Platen, post: Post): string {
  return summaryOf(platen, post, MAX_EXCERPT_LENGTH);
}

/**
 * Relies on sanitised HTML: `<` stands in tags only, every attribute is in double quotes. Addresses are resolved as
 * they are escaped: that leaves `&amp;` alone.
 */
export function withAbsoluteAddresses(html: string, base: string): string {
  const absolute = (address: string) =>
    hasScheme(address) ? address : (URL.parse(address, base)?.href ?? address);
  return html.replace(/<[a-z][^\s>]*\s[^>]+>/g, (tag) =>
    tag
      .replace(
        /(\s(?:href|src|poster|cite)=")([^"]*)"/g,
        (_, start, address) => `${start}${absolute(address)}"`,
      )
      .replace(
        /(\ssrcset=")([^"]*)"/g,
        (_, start, candidates) => `${start}${eachCandidate(candidates, absolute)}"`,
      ),
  );
}

/** @param candidates a srcset: "a.jpg 1x, b.jpg 2x". A comma ends a candidate only before white space: addresses hold commas. */
function eachCandidate(candidates: string, change: (address: string) => string): string {
  return candidates.replace(/(^|,\s+)([^\s,]\S*)/g, (_, before, address) => before + change(address));
}

function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(address);
}
