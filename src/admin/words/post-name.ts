import type { PostHead } from "../../posts/post/post";

/** What a post is called where its owner looks for it. */
export function postName(post: Pick<PostHead, "title" | "slug">): string {
  return post.title || `Untitled (${post.slug})`;
}
