import { and, eq, isNull } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { messages, posts } from "../database/schema";
import { checkedInput, type ReaderInput } from "../komments/reader-input";
import type { Platen } from "../platen";
import type { MessageStatus } from "./messages";

/** What a reader wrote to the owner elsewhere. */
export interface FormerMessage extends ReaderInput {
  at: Date;
  status: MessageStatus;
  /** The slug of the page it was written on; "" where nobody knows. */
  page: string;
}

/** Once, however often it comes. @throws Refusal (invalid) where no reader could have written it */
export function takeOverMessage({ db }: Platen, { id: blogId }: Blog, former: FormerMessage): void {
  const { at, status, page, ...typed } = former;
  const row = { blogId, ...checkedInput(typed), createdAt: at, status };
  const isSame = and(
    eq(messages.blogId, blogId),
    eq(messages.createdAt, at),
    eq(messages.name, row.name),
    eq(messages.text, row.text),
  );
  if (db.select().from(messages).where(isSame).get()) return;
  const isPage = and(eq(posts.blogId, blogId), eq(posts.slug, page), isNull(posts.deletedAt));
  const postId = db.select({ id: posts.id }).from(posts).where(isPage).get()?.id ?? null;
  db.insert(messages)
    .values({ ...row, postId })
    .run();
}
