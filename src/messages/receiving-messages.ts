import { and, gt } from "drizzle-orm";
import { HOUR } from "../config/units";
import { hasRow, hasValues, insertRow } from "../database/rows";
import { messages } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { forbidden } from "../errors";
import { isBlocked } from "../komments/moderation";
import { checkReaderInput, type ReaderInput } from "../komments/reader-input-check";
import type { Platen } from "../platen";
import { isLive, type Post } from "../posts/post/post";
import { assertDiskSpace } from "../runtime/disk-space";

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
