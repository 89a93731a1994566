import { replyContextText } from "../../posts/content/reply-context";
import type { PostRow } from "../../posts/post/post";
import { excerpt } from "./excerpt";

/** Of the text that stands in for a missing title, in characters. */
const LONGEST_STAND_IN = 60;

type Texts = Pick<PostRow, "title" | "text" | "properties">;

/** A post's title; without one the beginning of its text; without text its slug. Never empty. */
export function displayTitle(post: Texts & Pick<PostRow, "slug">): string {
  return post.title || summaryOf(post, LONGEST_STAND_IN) || post.slug;
}

/** The beginning of a post's text; without text, what it replies to or likes. @param most in characters */
export function summaryOf(post: Omit<Texts, "title">, most: number): string {
  return excerpt(post.text || replyContextText(post.properties), most);
}
