import { and, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
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
  const { db } = platen;
  const { page } = imported;
  const withSlug = (isThere: SQL) =>
    db
      .select({ id: posts.id })
      .from(posts)
      .where(and(eq(posts.blogId, blog.id), eq(posts.slug, page), isThere))
      .get()?.id;
  const postId = withSlug(isNull(posts.deletedAt)) ?? withSlug(isNotNull(posts.deletedAt)) ?? null;
  const { id } = db
    .insert(messages)
    .values({ ...row, postId })
    .returning()
    .get();
  return id;
}

export function isNewMessage(platen: Platen, blog: Blog, imported: ImportedMessage): boolean {
  return newRow(platen, blog, imported) !== null;
}

function newRow({ db }: Platen, { id: blogId }: Blog, { at, status, page, ...typed }: ImportedMessage) {
  const row = { blogId, ...checkReaderInput(typed), createdAt: at, status };
  const isSame = and(
    eq(messages.blogId, blogId),
    eq(messages.createdAt, at),
    eq(messages.name, row.name),
    eq(messages.text, row.text),
  );
  return db.select().from(messages).where(isSame).get() ? null : row;
}
