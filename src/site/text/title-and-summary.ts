import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/plain-text-and-excerpts";
import { replyContextText } from "../../posts/content/reply-context";
import type { PostRow } from "../../posts/post/post";
import { excerptOf } from "../../posts/storage/stored-posts";

const MAX_TITLE_FALLBACK = 60;
/** Maximum length of a meta description in characters. Search engines show about this many. */
export const MAX_META_DESCRIPTION = 160;

type Summed = Pick<PostRow, "id" | "summary" | "excerpt" | "properties">;

/** Title, else an excerpt of summary or text, else the slug. Never empty. */
export function displayTitle(platen: Platen, post: Summed & Pick<PostRow, "title" | "slug">): string {
  return post.title || excerpt(summaryOf(platen, post, MAX_TITLE_FALLBACK), MAX_TITLE_FALLBACK) || post.slug;
}

/**
 * Own summary, else an excerpt, else what the post replies to or likes.
 * @param most in characters, at most MAX_EXCERPT_LENGTH; the post's own summary is not cut
 */
export function summaryOf(platen: Platen, post: Summed, most: number): string {
  return post.summary ?? excerpt(excerptOf(platen, post) || replyContextText(post.properties), most);
}
