import { and, eq, getTableColumns, not, sql } from "drizzle-orm";
import { type Blog, blogHolding } from "../../blogs/blogs";
import { among, prepared } from "../../database/prepared";
import { attachments, blobs, categories, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Attachment, Category, Post, PostRelations, PostRow, WholePost } from "../post/post";
import { categoryById, tagsOf } from "../topics/post-topics";
import { contentOf } from "./stored-content";

export function wholePost(platen: Platen, post: Post): WholePost {
  return { ...post, ...contentOf(platen, post.id) };
}

export function postOfRow(platen: Platen, row: PostRow, blog: Blog = blogHolding(platen, row)): Post {
  return withBelongings(platen, [{ ...row, blog, category: categoryOfRow(platen, row) }])[0] as Post;
}

export function categoryOfRow(platen: Platen, { categoryId }: Pick<PostRow, "categoryId">): Category | null {
  return categoryId === null ? null : (categoryById(platen, categoryId) ?? null);
}

/** Loads tags and attachments with one query each. */
function withBelongings<Row extends { id: number } & Pick<PostRelations, "blog" | "category">>(
  platen: Platen,
  rows: Row[],
): (Row & PostRelations)[] {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const tags = tagsOf(platen, ids);
  const attached = attachmentsOf(platen, ids);
  return rows.map((row) =>
    Object.assign(row, { tags: tags.get(row.id) ?? [], attachments: attached.get(row.id) ?? [] }),
  );
}

/** Returns posts of the blog in the order of the ids. */
export function postsWithIds(platen: Platen, blog: Blog, ids: number[]): Post[] {
  const rows = rowsInOrder(ids, rowsWithIds(platen));
  return withBelongings(
    platen,
    rows.map((row) => Object.assign(row, { blog })),
  );
}

const rowsWithIds = prepared((db) =>
  db
    .select({ ...getTableColumns(posts), category: categories })
    .from(posts)
    .leftJoin(categories, eq(categories.id, posts.categoryId))
    .where(among(posts.id, "ids"))
    .prepare(),
);

/** A prepared statement that takes ids as a JSON array. */
export interface WithIds<Row> {
  all(given: { ids: string }): Row[];
}

/** Returns rows in the order of the ids. */
export function rowsInOrder<Row extends { id: number }>(ids: number[], statement: WithIds<Row>): Row[] {
  const rows = statement.all({ ids: JSON.stringify(ids) });
  const places = new Map(ids.map((id, place) => [id, place]));
  const placeOf = ({ id }: Row) => places.get(id) ?? 0;
  return rows.sort((a, b) => placeOf(a) - placeOf(b));
}

/** Returns the first rows that fit into `bytes`, but at least one row. */
export function takeWithinBytes<Row>(rows: Row[], bytes: number, bytesOf: (row: Row) => number): Row[] {
  let left = bytes;
  const tooMuch = rows.findIndex((row, number) => {
    left -= bytesOf(row);
    return left < 0 && number > 0;
  });
  return tooMuch < 0 ? rows : rows.slice(0, tooMuch);
}

/** Replaces the post's attachments, in order. Existing rows keep their id. Call it in a transaction. */
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

/** post id → attachments in order */
export function attachmentsOf(platen: Platen, postIds: number[]): Map<number, Attachment[]> {
  const rows = ofPosts(platen).all({ postIds: JSON.stringify(postIds) });
  return Map.groupBy(
    rows.map((row) => ({ ...row.attachments, blob: row.blobs })).sort((a, b) => a.position - b.position),
    (attachment) => attachment.postId,
  );
}
