import { and, isNotNull, isNull } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { findRow, hasRow, hasValues, insertRow } from "../database/rows";
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
  // Two queries, because the slugs of posts in the trash are in an index of their own.
  const hasSlug = hasValues(posts, { blogId: blog.id, slug: imported.page });
  const post =
    findRow(platen, posts, and(hasSlug, isNull(posts.deletedAt))) ??
    findRow(platen, posts, and(hasSlug, isNotNull(posts.deletedAt)));
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
