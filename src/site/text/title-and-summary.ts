import { excerpt, proseOf } from "../../posts/content/excerpt";
import { replyContextText } from "../../posts/content/reply-context";
import type { PostRow } from "../../posts/post/post";

/** Of the text that stands in for a missing title, in characters. */
const LONGEST_STAND_IN = 60;

/** Of the HTML, in characters: prose that begins later is not looked for. */
const PROSE_READ = 8000;

type Texts = Pick<PostRow, "title" | "text" | "properties"> & {
  /** The rendered content, or the beginning of it; without it the text is taken as it is. */
  html?: string;
};

/** A post's title; without one the beginning of its text; without text its slug. Never empty. */
export function displayTitle(post: Texts & Pick<PostRow, "slug">): string {
  return post.title || summaryOf(post, LONGEST_STAND_IN) || post.slug;
}

/**
 * The beginning of a post's prose; without prose, of its text; without text, what it replies to or likes.
 * @param most in characters
 */
export function summaryOf({ html, text, properties }: Omit<Texts, "title">, most: number): string {
  const prose = html && proseOf(html.slice(0, PROSE_READ));
  return excerpt(prose || text || replyContextText(properties), most);
}
