import type { Blog } from "../blogs/blogs";
import { deleteRows, insertRow } from "../database/rows";
import { messages } from "../database/schema";
import { MAX_INPUT_LENGTH } from "../komments/komment-limits";
import { isBlocked } from "../komments/moderation";
import { cleanLine } from "../komments/reader-input-check";
import type { Platen } from "../platen";
import type { Post } from "../posts/post/post";
import { cleanText } from "../text/clean-text";

interface RemoteMessage {
  /** The message replaces a stored one of the blog with the same `originUri`. */
  originUri: string;
  name: string;
  address: string;
  text: string;
  remoteActorId: number;
}

const MAX_LENGTH = 10_000;

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
    text: cleanText(message.text).slice(0, MAX_LENGTH),
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
