import type { Blog } from "../../blogs/blogs";
import type { attachments, blobs, categories, posts } from "../../database/schema";

export type PostRow = typeof posts.$inferSelect;
export type PostType = PostRow["type"];
export type Status = PostRow["status"];
export type Category = typeof categories.$inferSelect;
export type Attachment = typeof attachments.$inferSelect & { blob: typeof blobs.$inferSelect };

/** What belongs to a post and is kept outside its row. */
export interface Belongings {
  blog: Blog;
  category: Category | null;
  tags: string[];
  attachments: Attachment[];
}

/** A post or a page, whole. */
export type Post = PostRow & Belongings;

/** A post's row without its content (see HEAD_COLUMNS). */
export type PostHead = Omit<PostRow, "source" | "html" | "text">;

/** A post as lists hold it: with its content, and what that was made from, only where they were asked for. */
export type ListedPost = PostHead & Partial<Pick<PostRow, "html" | "text" | "source">> & Belongings;
