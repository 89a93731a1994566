import { and, gt } from "drizzle-orm";
import type { Blog } from "../blogs/blogs";
import { HOUR } from "../config/units";
import { deleteRows, hasRow, hasValues, insertRow } from "../database/rows";
import { messages } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { forbidden } from "../errors";
import { MAX_INPUT_LENGTH } from "../komments/komment-limits";
import { isBlocked } from "../komments/moderation";
import { checkReaderInput, cleanLine, type ReaderInput } from "../komments/reader-input-check";
import type { Platen } from "../platen";
import { isLive, type Post } from "../posts/post/post";
import { assertDiskSpace } from "../runtime/disk-space";
import { cleanText } from "../text/clean-text";

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
  deleteRemoteMessage(platen, blog.id, originUri);
  insertRow(platen, messages, {
    ...{ ...words, blogId: blog.id, postId: post?.id ?? null, createdAt: platen.now() },
    status: isBlocked(blog, words) ? "refused" : "waiting",
    ...{ origin: "fediverse", originUri, remoteActorId },
  });
}

export function deleteRemoteMessage(platen: Platen, blogId: number, originUri: string): void {
  deleteRows(platen, messages, { blogId, originUri });
}
