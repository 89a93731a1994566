import type { Platen } from "../../platen";
import { excerpt } from "../../posts/content/excerpt";
import { replyContextText } from "../../posts/content/reply-context";
import type { PostRow } from "../../posts/post/post";
import { excerptOf } from "../../posts/storage/stored-content";

/** Of the text that stands in for a missing title, in characters. */
const LONGEST_STAND_IN = 60;

type Summed = Pick<PostRow, "id" | "summary" | "excerpt" | "properties">;

/** A post's title; without one the beginning of its summary or text; without both its slug. Never empty. */
export function displayTitle(platen: Platen, post: Summed & Pick<PostRow, "title" | "slug">): string {
  return post.title || excerpt(summaryOf(platen, post, LONGEST_STAND_IN), LONGEST_STAND_IN) || post.slug;
}

/**
 * The post's own summary; without one the beginning of its prose; without prose, of its text; without text, what it
 * replies to or likes.
 * @param most in characters, at most LONGEST_EXCERPT; the post's own summary is not cut
 */
export function summaryOf(platen: Platen, post: Summed, most: number): string {
  return post.summary ?? excerpt(excerptOf(platen, post) || replyContextText(post.properties), most);
}
