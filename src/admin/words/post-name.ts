import { excerpt } from "../../posts/content/plain-text";
import type { PostRow } from "../../posts/post/post";

const MAX_NAME_LENGTH = 70;

/** The post's title, or the beginning of its text. */
export function postName(post: Pick<PostRow, "title" | "excerpt" | "slug">): string {
  return post.title || excerpt(post.excerpt ?? "", MAX_NAME_LENGTH) || `Untitled (${post.slug})`;
}
