import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { replyContextText } from "../../posts/content/reply-context";
import { contentWarning, type PostRow } from "../../posts/post/post";
import { excerptOf } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";

const MAX_TITLE_FALLBACK = 60;
/** In characters. Search engines show about this many. */
export const MAX_META_DESCRIPTION = 160;

type SummaryFields = Pick<PostRow, "id" | "summary" | "excerpt" | "properties">;

export function displayTitle(platen: Platen, post: SummaryFields & Pick<PostRow, "title" | "slug">): string {
  return post.title || excerpt(summaryOf(platen, post, MAX_TITLE_FALLBACK), MAX_TITLE_FALLBACK) || post.slug;
}

/**
 * Falls back to the content warning, then an excerpt, then a text such as "In reply to …".
 * @param maxLength in characters, at most MAX_EXCERPT_LENGTH; does not apply to the post's own summary
 */
export function summaryOf(platen: Platen, post: SummaryFields, maxLength: number): string {
  if (post.summary !== null) return post.summary;
  const text = contentWarning(post) || excerptOf(platen, post) || replyContextText(post.properties);
  return excerpt(text, maxLength);
}

export function behindWarning(post: Pick<PostRow, "properties">, content: Html): Html {
  const warning = contentWarning(post);
  return warning ? html`<details><summary>${warning}</summary>${content}</details>` : content;
}
