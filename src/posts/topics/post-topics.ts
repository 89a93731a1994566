import type { Post } from "../post/post";

/** The names of a post's category and tags, each once. */
export function topicsOf({ category, tags }: Pick<Post, "category" | "tags">): string[] {
  return [...new Set([...(category ? [category.name] : []), ...tags])];
}
