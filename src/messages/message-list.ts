import { and, desc, eq, inArray } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { countRows, updateRows } from "../database/rows";
import { messages, posts } from "../database/schema";
import { notFound } from "../errors";
import type { Platen } from "../platen";
import type { PostRow } from "../posts/post/post";

export type Message = typeof messages.$inferSelect;
export type MessageStatus = Message["status"];

/** The slug is null if the message belongs to no post, or if the post was purged. */
type ListedMessage = Message & { slug: string | null };

/** Newest first. Without a blog, lists the messages of all blogs. */
export function listMessages(platen: Platen, blog?: Pick<Blog, "id">): ListedMessage[] {
  return platen.db
    .select({ message: messages, slug: posts.slug })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .where(blog && eq(messages.blogId, blog.id))
    .orderBy(desc(messages.id))
    .all()
    .map(({ message, slug }) => ({ ...message, slug }));
}

export function blogMessages(
  { db }: Platen,
  { id }: Pick<Blog, "id">,
  { status, page, limit }: { status?: MessageStatus; page: number; limit: number },
): { message: Message; post: PostRow | null }[] {
  // The subquery skips the rows of earlier pages by reading only the index.
  const onPage = db
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.blogId, id), status && eq(messages.status, status)))
    .orderBy(desc(messages.id))
    .limit(limit)
    .offset((page - 1) * limit);
  return db
    .select({ message: messages, post: posts })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .where(inArray(messages.id, onPage))
    .orderBy(desc(messages.id))
    .all();
}

export function countMessages(platen: Platen, { id }: Pick<Blog, "id">, status: MessageStatus): number {
  return countRows(platen, messages, { blogId: id, status });
}

export function messagesAmong({ db }: Platen, blog: Pick<Blog, "id">, ids: number[]): Message[] {
  const isFound = and(inArray(messages.id, ids), eq(messages.blogId, blog.id));
  return db.select().from(messages).where(isFound).all();
}

export function markMessageRead(platen: Platen, id: number): void {
  updateRows(platen, messages, { id }, { status: "read" });
}

export function refuseMessage(platen: Platen, id: number): void {
  updateRows(platen, messages, { id }, { status: "refused" });
}

export function deleteMessage(platen: Platen, id: number): void {
  const deleted = platen.db.delete(messages).where(eq(messages.id, id)).returning({ id: messages.id }).all();
  if (deleted.length === 0) throw notFound("message");
}
