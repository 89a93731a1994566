import { inserting } from "../../database/prepared";
import { revisions } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Content, Post, SavedBy } from "../post/post";
import { pruneRevisionsOf } from "./revision-pruning";

/**
 * Keeps what the post was before a save; to be called in its transaction.
 * @param before its content, where it has that, is not kept of it
 * @param previous its content, if the save changes it
 * @param replacedBy who saves
 */
export function keepRevision(
  platen: Platen,
  before: Post & Partial<Content>,
  previous: Content | null,
  at: Date,
  replacedBy: SavedBy | null,
): void {
  const { blog, category, tags, attachments, excerpt, htmlBytes, sourceBytes, madeBy, ...kept } = before;
  const { html, text, source: _, sourceType, ...fields } = kept;
  const content = previous && { source: previous.source, sourceType: previous.sourceType };
  insertRevision(platen, {
    postId: before.id,
    replacedAt: at,
    fields: { ...fields, ...content, category: category?.name ?? null, tags, replacedBy },
  });
  pruneRevisionsOf(platen, before.id);
}

const insertRevision = inserting(revisions);

/** What a post was elsewhere, before a save; `fields` as KeptFields has them. */
export interface FormerRevision {
  replacedAt: Date;
  fields: Record<string, unknown>;
}

/** The oldest first. To be called in the transaction that writes the post, or after it. */
export function takeOverRevisions(platen: Platen, postId: number, former: FormerRevision[]): void {
  for (const { replacedAt, fields } of former) insertRevision(platen, { postId, replacedAt, fields });
}
