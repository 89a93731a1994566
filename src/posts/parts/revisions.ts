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

/** What a post was elsewhere, before a save; `fields` as KeptFields has them. */
export interface FormerRevision {
  replacedAt: Date;
  fields: Record<string, unknown>;
}

/** The oldest first. To be called in the transaction that writes the post, or after it. */
export function takeOverRevisions({ db }: Platen, postId: number, former: FormerRevision[]): void {
  for (const { replacedAt, fields } of former)
    db.insert(revisions).values({ postId, replacedAt, fields }).run();
}
