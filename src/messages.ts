import { and, desc, eq, gt, inArray, isNotNull, isNull } from "drizzle-orm";
import type { Blog } from "./blogs/blogs";
import { HOUR } from "./config/units";
import {
  countRows,
  deleteRows,
  findRow,
  findRows,
  findValues,
  hasRow,
  hasValues,
  insertRow,
  updateRows,
} from "./database/rows";
import { messages, posts } from "./database/schema";
import { inTransaction } from "./database/transactions";
import { forbidden, notFound } from "./errors";
import { isBlocked } from "./komments/blocked-words-and-hosts";
import { checkReaderInput, cleanLine, MAX_INPUT_LENGTH, type ReaderInput } from "./komments/reader-input";
import type { Platen } from "./platen";
import { isLive, type Post, type PostRow } from "./posts/post/post";
import { assertDiskSpace } from "./runtime/disk-space";
import { cleanText } from "./text/clean-text";

export type Message = typeof messages.$inferSelect;
export type MessageStatus = Message["status"];

/** The slug is null if the message belongs to no post, or if the post was purged. */
type ListedMessage = Message & { slug: string | null };

const withPosts = ({ db }: Platen) =>
  db
    .select({ message: messages, post: posts })
    .from(messages)
    .leftJoin(posts, eq(posts.id, messages.postId))
    .orderBy(desc(messages.id))
    .$dynamic();

/** Newest first. Without a blog, lists the messages of all blogs. */
export function listMessages(platen: Platen, blog?: Pick<Blog, "id">): ListedMessage[] {
  const rows = withPosts(platen).where(blog && eq(messages.blogId, blog.id));
  return rows.all().map(({ message, post }) => ({ ...message, slug: post?.slug ?? null }));
}

/** Newest first. */
export function blogMessages(
  platen: Platen,
  { id }: Pick<Blog, "id">,
  { status, page, limit }: { status?: MessageStatus; page: number; limit: number },
): { message: Message; post: PostRow | null }[] {
  const isListed = and(eq(messages.blogId, id), status && eq(messages.status, status));
  // By id first, so that only the index is read for the rows of earlier pages.
  const ids = findValues(platen, messages, "id", isListed, { orderBy: desc(messages.id), page, limit });
  return withPosts(platen).where(inArray(messages.id, ids)).all();
}

export function countMessages(platen: Platen, { id }: Pick<Blog, "id">, status: MessageStatus): number {
  return countRows(platen, messages, { blogId: id, status });
}

export function messagesAmong(platen: Platen, blog: Pick<Blog, "id">, ids: number[]): Message[] {
  const isFound = and(inArray(messages.id, ids), eq(messages.blogId, blog.id));
  return findRows(platen, messages, isFound);
}

export function markMessageRead(platen: Platen, id: number): void {
  updateRows(platen, messages, { id }, { status: "read" });
}

export function refuseMessage(platen: Platen, id: number): void {
  updateRows(platen, messages, { id }, { status: "refused" });
}

export function deleteMessage(platen: Platen, id: number): void {
  if (deleteRows(platen, messages, { id }) === 0) throw notFound("message");
}

/** If the same message arrives again within this time, the form was sent twice. */
const REPEAT_WINDOW_MS = HOUR;

export function takesMessages(post: Post, at: Date): boolean {
  return isLive(post, at) && post.showContactForm;
}

/** @throws Refusal: invalid, forbidden, no room */
export function receiveMessage(platen: Platen, post: Post, typed: ReaderInput): void {
  const at = platen.now();
  if (!takesMessages(post, at)) throw forbidden("This contact form is closed.");
  assertDiskSpace(platen);
  const words = checkReaderInput(typed);
  inTransaction(platen, () => {
    const row = { blogId: post.blogId, name: words.name, address: words.address, text: words.text };
    const isRecent = gt(messages.createdAt, new Date(at.getTime() - REPEAT_WINDOW_MS));
    if (hasRow(platen, messages, and(hasValues(messages, row), isRecent))) return;
    const status = isBlocked(post.blog, words) ? "refused" : "waiting";
    insertRow(platen, messages, { ...row, postId: post.id, createdAt: at, status });
  });
}

interface RemoteMessage {
  /** The message replaces a stored one of the blog with the same `originUri`. */
  originUri: string;
  name: string;
  address: string;
  text: string;
  remoteActorId: number;
}

const MAX_REMOTE_LENGTH = 10_000;

/** Call this in a transaction: the function deletes and inserts. */
export function storeRemoteMessage(
  platen: Platen,
  blog: Blog,
  post: Post | null,
  { originUri, remoteActorId, ...message }: RemoteMessage,
): void {
  const words = {
    name: cleanLine(message.name).slice(0, MAX_INPUT_LENGTH.name),
    address: message.address.slice(0, MAX_INPUT_LENGTH.address),
    text: cleanText(message.text).slice(0, MAX_REMOTE_LENGTH),
  };
  const known = findRow(platen, messages, { blogId: blog.id, originUri });
  if (known && known.remoteActorId !== remoteActorId) return;
  deleteRows(platen, messages, { blogId: blog.id, originUri });
  insertRow(platen, messages, {
    ...{ ...words, blogId: blog.id, postId: post?.id ?? null, createdAt: platen.now() },
    status: isBlocked(blog, words) ? "refused" : "waiting",
    ...{ origin: "fediverse", originUri, remoteActorId },
  });
}

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
