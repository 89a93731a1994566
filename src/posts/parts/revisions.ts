import { revisions } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Content, Post, SavedBy } from "../post/post";

/**
 * Keeps what the post was before a save; to be called in its transaction.
 * @param content what it said, where the save changes that
 * @param replacedBy who saves
 */
export function keepRevision(
  platen: Platen,
  before: Post,
  content: Content | null,
  at: Date,
  replacedBy: SavedBy | null,
): void {
  const { blog, category, tags, attachments, excerpt, htmlBytes, sourceBytes, madeBy, ...fields } = before;
  const said = content && { source: content.source, sourceType: content.sourceType };
  platen.db
    .insert(revisions)
    .values({
      postId: before.id,
      replacedAt: at,
      fields: { ...fields, ...said, category: category?.name ?? null, tags, replacedBy },
    })
    .run();
}
