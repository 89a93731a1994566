import type { Blog } from "../../blogs/blogs";
import type { attachments, blobs, categories, posts } from "../../database/schema";

export type PostRow = typeof posts.$inferSelect;
export type PostType = PostRow["type"];
export type Status = PostRow["status"];
export type Category = typeof categories.$inferSelect;
export type Attachment = typeof attachments.$inferSelect & { blob: typeof blobs.$inferSelect };

/** What belongs to a post beside its row. */
export interface Belongings {
  blog: Blog;
  category: Category | null;
  tags: string[];
  attachments: Attachment[];
}

/** A post or a page, whole. */
export type Post = PostRow & Belongings;

/** A post as lists hold it: without its source, and with its content only where that was asked for. */
export type ListedPost = Omit<PostRow, "source" | "html" | "text"> &
  Partial<Pick<PostRow, "html" | "text">> &
  Belongings;

/** The flags of interface.md's `meta` that are kept as they are given. */
export const FLAGS = [
  "hidden",
  "hideInRss",
  "noIndexNoFollow",
  "showContactForm",
  "kommentsDisabled",
  "skipArchive",
] as const;
export type Flag = (typeof FLAGS)[number];

/** Can readers see it? Published, its time has come, and not deleted (interface.md States). */
export function isLive(post: Pick<PostRow, "status" | "publishedAt" | "deletedAt">, at: Date): boolean {
  return (
    post.status === "published" &&
    post.deletedAt === null &&
    post.publishedAt !== null &&
    post.publishedAt <= at
  );
}

/** The alt text readers are given: the post's entry, even an empty one, else the upload's caption (interface.md Alt text 4). */
export function altOf(blob: { filename: string; caption: string }, altText: Record<string, string>): string {
  return Object.hasOwn(altText, blob.filename) ? (altText[blob.filename] as string) : blob.caption;
}
