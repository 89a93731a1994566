import type { PostRow } from "../../posts/post/post";

/** What a post is called where its owner looks for it. */
export function postName(post: Pick<PostRow, "title" | "slug">): string {
  return post.title || `Untitled (${post.slug})`;
}
