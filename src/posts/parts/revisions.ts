import { revisions } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Post } from "../post/post";

/** Keeps what the post was before a save; to be called in its transaction. */
export function keepRevision(platen: Platen, before: Post, at: Date): void {
  const { blog, category, tags, attachments, html, text, ...fields } = before;
  platen.db
    .insert(revisions)
    .values({
      postId: before.id,
      replacedAt: at,
      fields: { ...fields, category: category?.name ?? null, tags },
    })
    .run();
}
