import { and, eq, gt } from "drizzle-orm";
import { HOUR } from "../config/units";
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
    const isSame = and(
      eq(messages.blogId, post.blogId),
      eq(messages.name, words.name),
      eq(messages.address, words.address),
      eq(messages.text, words.text),
      gt(messages.createdAt, new Date(at.getTime() - REPEAT_WINDOW_MS)),
    );
    if (platen.db.select({ id: messages.id }).from(messages).where(isSame).get()) return;
    platen.db
      .insert(messages)
      .values({
        ...{ ...words, blogId: post.blogId, postId: post.id, createdAt: at },
        status: isBlocked(post.blog, words) ? "refused" : "waiting",
      })
      .run();
  });
}
