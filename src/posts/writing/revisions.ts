import { revisions } from "../../database/schema";
import type { Transaction } from "../../database/transactions";
import type { Post } from "../post/post";

/** Keeps what the post was before a save. */
export function keepRevision(tx: Transaction, before: Post, at: Date): void {
  const { blog, category, tags, attachments, html, text, ...fields } = before;
  tx.insert(revisions)
    .values({
      postId: before.id,
      replacedAt: at,
      fields: { ...fields, category: category?.name ?? null, tags },
    })
    .run();
}
