import { asc } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { hasRow, hasValues, insertRow } from "../database/rows";
import { messages, posts } from "../database/schema";
import { checkReaderInput, type ReaderInput } from "../komments/reader-input-check";
import type { Platen } from "../platen";
import type { MessageStatus } from "./message-list";

export interface ImportedMessage extends ReaderInput {
  at: Date;
  status: MessageStatus;
  /** Slug of the page or post, which may be in the trash; "" if unknown. */
  page: string;
}

/**
 * @returns null if the message is already stored
 * @throws Refusal (invalid) like `checkReaderInput`
 */
export function importMessage(platen: Platen, blog: Blog, imported: ImportedMessage): number | null {
  const row = newRow(platen, blog, imported);
  if (!row) return null;
  // NULL comes first, so a post that is not in the trash has priority.
  const post = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(hasValues(posts, { blogId: blog.id, slug: imported.page }))
    .orderBy(asc(posts.deletedAt))
    .limit(1)
    .get();
  return insertRow(platen, messages, { ...row, postId: post?.id ?? null }).id;
}

export function isNewMessage(platen: Platen, blog: Blog, imported: ImportedMessage): boolean {
  return newRow(platen, blog, imported) !== null;
}

function newRow(platen: Platen, { id: blogId }: Blog, { at, status, page, ...typed }: ImportedMessage) {
  const row = { blogId, ...checkReaderInput(typed), createdAt: at, status };
  const { name, text } = row;
  return hasRow(platen, messages, { blogId, createdAt: at, name, text }) ? null : row;
}
