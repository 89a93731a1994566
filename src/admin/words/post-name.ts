import { excerpt } from "../../posts/content/excerpt";
import type { PostRow } from "../../posts/post/post";

/** Of the text that stands in for a missing title, in characters. */
const LONGEST_STAND_IN = 70;

/** What a post is called where its owner looks for it: its title, or how it begins. */
export function postName(post: Pick<PostRow, "title" | "excerpt" | "slug">): string {
  return post.title || excerpt(post.excerpt ?? "", LONGEST_STAND_IN) || `Untitled (${post.slug})`;
}
