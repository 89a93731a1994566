import type { Blog } from "../../blogs/blogs";
import type { attachments, blobs, categories, contents, posts } from "../../database/schema";

export type PostRow = typeof posts.$inferSelect;
export type PostType = PostRow["type"];
export type Status = PostRow["status"];
export type Category = typeof categories.$inferSelect;
export type Attachment = typeof attachments.$inferSelect & { blob: typeof blobs.$inferSelect };

export type Content = Omit<typeof contents.$inferSelect, "postId" | "source"> & { source: string };

/** Who saved the post: account name and API key. The key is null in a browser. */
export interface SavedBy {
  name: string;
  app: string | null;
}

export interface PostRelations {
  blog: Blog;
  category: Category | null;
  tags: string[];
  attachments: Attachment[];
}

/** A post or page without its content. See `wholePost`. */
export type Post = PostRow & PostRelations;

export type WholePost = Post & Content;

/** Returns the size of HTML and source in bytes. */
export function contentBytes(...posts: Pick<PostRow, "htmlBytes" | "sourceBytes">[]): number {
  return posts.reduce((sum, { htmlBytes, sourceBytes }) => sum + htmlBytes + sourceBytes, 0);
}
