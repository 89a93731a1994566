import { and, eq, gte, sql } from "drizzle-orm";
import { revisions } from "../../database/schema";
import { notFound } from "../../errors";
import type { Platen } from "../../platen";
import type { Post } from "../post/post";
import type { RevisionFields } from "../revisions/revision-history";
import { contentOf } from "../storage/stored-posts";
import { type PostChanges, plainFields } from "./post-input";

/**
 * Leaves out status, time and slug.
 * @throws Refusal (missing)
 */
export function changesToRevision(platen: Platen, post: Post, id: number): PostChanges {
  const isChosen = and(eq(revisions.postId, post.id), eq(revisions.id, id));
  const chosen = platen.db.select().from(revisions).where(isChosen).get();
  if (!chosen) throw notFound("revision");
  const fields = chosen.fields as RevisionFields;
  const { source, sourceType } = contentOfRevision(platen, post, id);
  return {
    title: fields.title,
    content: source,
    contentType: sourceType,
    category: fields.category,
    tags: fields.tags,
    ...plainFields(fields),
  };
}

function contentOfRevision(platen: Platen, { id: postId }: Post, id: number) {
  const hasSource = sql`json_type(${revisions.fields}, '$.source') IS NOT NULL`;
  const holdsContent = and(eq(revisions.postId, postId), gte(revisions.id, id), hasSource);
  const row = platen.db.select().from(revisions).where(holdsContent).orderBy(revisions.id).limit(1).get();
  return row ? (row.fields as RevisionFields) : contentOf(platen, postId);
}
