import type { Blog } from "../../blogs/blogs";
import type { attachments, blobs, categories, contents, posts } from "../../database/schema";

export type PostRow = typeof posts.$inferSelect;
export type PostType = PostRow["type"];
export type Status = PostRow["status"];
export type Category = typeof categories.$inferSelect;
export type Attachment = typeof attachments.$inferSelect & { blob: typeof blobs.$inferSelect };

/** What a post says. */
export type Content = Omit<typeof contents.$inferSelect, "postId" | "source"> & { source: string };

/** Who has saved a post, by name, and with which key; null: in the browser. */
export interface SavedBy {
  name: string;
  app: string | null;
}

/** What belongs to a post and is kept outside its row. */
export interface PostRelations {
  blog: Blog;
  category: Category | null;
  tags: string[];
  attachments: Attachment[];
}

/** A post or a page, without what it says: see wholePost. */
export type Post = PostRow & PostRelations;

export type WholePost = Post & Content;

/** How much they say together, in bytes: as HTML, and as it was written. */
export function contentBytes(...posts: Pick<PostRow, "htmlBytes" | "sourceBytes">[]): number {
  return posts.reduce((sum, { htmlBytes, sourceBytes }) => sum + htmlBytes + sourceBytes, 0);
}
