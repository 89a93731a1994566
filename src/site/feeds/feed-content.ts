import { postUrl } from "../../blogs/permalinks";
import type { Platen } from "../../platen";
import { MAX_EXCERPT_LENGTH } from "../../posts/content/plain-text";
import { replyContext } from "../../posts/content/reply-context";
import { insertBaseUrl } from "../../posts/post/mf2-properties";
import type { Post } from "../../posts/post/post";
import { withAbsoluteAddresses } from "../../text/absolute-addresses";
import { summaryOf } from "../text/title-and-summary";

/** A post's HTML with its reply context and absolute URLs. */
export function contentForFeed(platen: Platen, post: Post, html: string): string {
  const whole = `${replyContext(post.properties) ?? ""}${html}`;
  return withAbsoluteAddresses(insertBaseUrl(whole, platen.config.url), postUrl(platen, post.blog, post));
}

export function summaryForFeed(platen: Platen, post: Post): string {
  return summaryOf(platen, post, MAX_EXCERPT_LENGTH);
}
