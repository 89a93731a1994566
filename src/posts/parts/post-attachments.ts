import { and, eq, isNull, not, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { among, prepared } from "../../database/prepared";
import {
  attachments,
  blobs,
  blogs,
  posts,
  unsavedPosts,
  wholeContents,
  wholeRevisions,
} from "../../database/schema";
import { sgidOf } from "../../media/attachment-element";
import { foldersOf, type StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import type { Attachment, PostRow } from "../post/post";
import { SOURCE } from "./post-content";
import { SAID_BEFORE } from "./revisions";

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

/** blob id → the posts it is attached to, in the order they were made; without those deleted. */
export function postsShowing(platen: Platen, blobIds: number[]): Map<number, ShowingPost[]> {
  const rows = showing(platen).all({ blobIds: JSON.stringify(blobIds) });
  const byBlob = Map.groupBy(
    rows.sort((a, b) => a.post.id - b.post.id),
    ({ blobId }) => blobId,
  );
  return new Map([...byBlob].map(([blobId, group]) => [blobId, group.map(({ post }) => post)]));
}

const showing = prepared((db) => {
  const { id, title, slug, status, type } = posts;
  return db
    .select({ blobId: attachments.blobId, post: { id, title, slug, status, type } })
    .from(attachments)
    .innerJoin(posts, eq(posts.id, attachments.postId))
    .where(and(among(attachments.blobId, "blobIds"), isNull(posts.deletedAt)))
    .prepare();
});

type ShowingPost = Pick<PostRow, "id" | "title" | "slug" | "status" | "type">;

/**
 * Does any post show this file, or does a post, a header, a footer or CSS name its address? A deleted post counts: it
 * can be brought back; so do an older version of one, and one that is still being written.
 */
export function isBlobUsed(platen: Platen, blob: StoredBlob): boolean {
  const { db } = platen;
  const attached = db.select({ used: sql`1` }).from(attachments).where(eq(attachments.blobId, blob.id)).get();
  const addresses = [...foldersOf(platen, [blob]).keys()].map((folder) => `/media/${folder}/`);
  const hasAddress = (text: SQL | SQLiteColumn) =>
    sql`(${sql.join(
      addresses.map((address) => sql`instr(${text}, ${address}) > 0`),
      sql` or `,
    )})`;
  const named = db
    .select({ used: sql`1` })
    .from(posts)
    .innerJoin(wholeContents, eq(wholeContents.postId, posts.id))
    .where(hasAddress(sql`${SOURCE} || ${posts.properties}`))
    .get();
  const isOnEveryPage = db
    .select({ used: sql`1` })
    .from(blogs)
    .where(hasAddress(sql`${blogs.headerHtml} || ${blogs.footerHtml} || ${blogs.customCss}`))
    .get();
  const sgid = sgidOf(platen, blob);
  const isIn = (text: SQL | SQLiteColumn) => sql`(instr(${text}, ${sgid}) > 0 or ${hasAddress(text)})`;
  const unsaved = db.select({ used: sql`1` }).from(unsavedPosts).where(isIn(unsavedPosts.fields)).get();
  const revised = db.select({ used: sql`1` }).from(wholeRevisions).where(isIn(SAID_BEFORE)).get();
  return [attached, named, isOnEveryPage, unsaved, revised].some((found) => found !== undefined);
}
