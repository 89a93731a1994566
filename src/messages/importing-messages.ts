import { and, eq, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { messages, posts } from "../database/schema";
import { checkReaderInput, type ReaderInput } from "../komments/reader-input";
import type { Platen } from "../platen";
import type { MessageStatus } from "./message-list";

/** What a reader wrote to the owner elsewhere. */
export interface ImportedMessage extends ReaderInput {
  at: Date;
  status: MessageStatus;
  /** The slug of the page it was written on, which may be in the trash; "" where nobody knows. */
  page: string;
}

/** Once, however often it comes. @returns its id; null: it was there already @throws Refusal (invalid) where no reader could have written it */
export function importMessage(platen: Platen, blog: Blog, former: ImportedMessage): number | null {
  const row = newRow(platen, blog, former);
  if (!row) return null;
  const { db } = platen;
  const { page } = former;
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

/** Whether it would be taken over. @throws as that does */
export function isNewMessage(platen: Platen, blog: Blog, former: ImportedMessage): boolean {
  return newRow(platen, blog, former) !== null;
}

/** Null where it is there already. */
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
