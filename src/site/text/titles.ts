import { replyContextText } from "../../posts/content/reply-context";
import type { PostRow } from "../../posts/post/post";
import { excerpt } from "./excerpt";

/** What stands for a title where a post has none, in characters. */
const LONGEST_STAND_IN = 60;

type Worded = Pick<PostRow, "title" | "text" | "properties">;

/** A post's title, or the beginning of what it says, or where it says nothing the last word of its address. */
export function nameOf(post: Worded & Pick<PostRow, "slug">): string {
  return post.title || summaryOf(post, LONGEST_STAND_IN) || post.slug;
}

/** The beginning of what a post says, or, where it has no text, what it is about. @param most in characters */
export function summaryOf(post: Omit<Worded, "title">, most: number): string {
  return excerpt(post.text || replyContextText(post.properties), most);
}

/** The category and the tags, each once. */
export function topicsOf({
  category,
  tags,
}: {
  category: { name: string } | null;
  tags: string[];
}): string[] {
  return [...new Set([...(category ? [category.name] : []), ...tags])];
}
