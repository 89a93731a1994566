import { and, eq, not, sql } from "drizzle-orm";
import { among, prepared } from "../../database/prepared";
import { attachments, blobs } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Attachment } from "../post/post";

/**
 * Makes the post's attachments these blobs, in this order, and gives them; what was attached before keeps its id. To be
 * called in a transaction.
 */
export function attachBlobs(
  platen: Platen,
  postId: number,
  blobIds: number[],
  before: Attachment[],
): Attachment[] {
  if (blobIds.length + before.length === 0) return [];
  detachOthers(platen).run({ postId, blobIds: JSON.stringify(blobIds) });
  blobIds.forEach((blobId, position) => {
    platen.db
      .insert(attachments)
      .values({ postId, blobId, position })
      .onConflictDoUpdate({ target: [attachments.postId, attachments.blobId], set: { position } })
      .run();
  });
  return attachmentsOf(platen, [postId]).get(postId) ?? [];
}

const ofPosts = prepared((db) =>
  db
    .select()
    .from(attachments)
    .innerJoin(blobs, eq(blobs.id, attachments.blobId))
    .where(among(attachments.postId, "postIds"))
    .prepare(),
);

const detachOthers = prepared((db) =>
  db
    .delete(attachments)
    .where(and(eq(attachments.postId, sql.placeholder("postId")), not(among(attachments.blobId, "blobIds"))))
    .prepare(),
);

/** post id → its attachments, in the order of the content. */
export function attachmentsOf(platen: Platen, postIds: number[]): Map<number, Attachment[]> {
  const rows = ofPosts(platen).all({ postIds: JSON.stringify(postIds) });
  return Map.groupBy(
    rows.map((row) => ({ ...row.attachments, blob: row.blobs })).sort((a, b) => a.position - b.position),
    (attachment) => attachment.postId,
  );
}
