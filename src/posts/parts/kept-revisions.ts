import { inserting } from "../../database/prepared";
import { revisions } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Content, Post, SavedBy } from "../post/post";
import { longSourceInTurns, replacedLongContent } from "./long-contents";
import type { Present } from "./post-content";
import { pruneRevisionsOf } from "./revision-pruning";

/**
 * Keeps what the post was before a save; to be called in its transaction.
 * @param before its content, where it has that, is not kept of it
 * @param said what it said, where the save changes that
 * @param replacedBy who saves
 */
export function keepRevision(
  platen: Platen,
  before: Post & Partial<Content>,
  said: Present | null,
  at: Date,
  replacedBy: SavedBy | null,
): void {
  const { blog, category, tags, attachments, excerpt, htmlBytes, sourceBytes, madeBy, ...kept } = before;
  const { html, text, source: _, sourceType, ...fields } = kept;
  const longId = said?.longId ?? null;
  const source = said && longId === null ? { source: said.whole().source } : {};
  const content = said && { ...source, sourceType: said.sourceType };
  if (longId !== null) replacedLongContent(platen);
  insertRevision(platen, {
    postId: before.id,
    replacedAt: at,
    fields: { ...fields, ...content, category: category?.name ?? null, tags, replacedBy },
    longId,
  });
  pruneRevisionsOf(platen, before.id);
}

const insertRevision = inserting(revisions);

/** All that a revision keeps: the source too, where it is kept; a long one is read with others in between. */
export async function fieldsSaid(
  platen: Platen,
  { fields, longId }: Pick<typeof revisions.$inferSelect, "fields" | "longId">,
): Promise<Record<string, unknown>> {
  return longId === null ? fields : { ...fields, source: await longSourceInTurns(platen, longId) };
}

/** What a post was elsewhere, before a save; `fields` as KeptFields has them. */
export interface FormerRevision {
  replacedAt: Date;
  fields: Record<string, unknown>;
}

/** The oldest first. To be called in the transaction that writes the post, or after it. */
export function takeOverRevisions(platen: Platen, postId: number, former: FormerRevision[]): void {
  for (const { replacedAt, fields } of former) insertRevision(platen, { postId, replacedAt, fields });
}
