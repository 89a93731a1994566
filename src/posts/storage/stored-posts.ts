import { eq, getTableColumns } from "drizzle-orm";
import { type Blog, blogOfRow } from "../../blogs/blogs";
import { among, findRowByColumn, findRows, prepared } from "../../database/rows";
import { attachments, blobs, categories, contents, posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { postExcerpt } from "../content/plain-text-and-excerpts";
import type { Attachment, Content, LinkedPost, Post, PostRow, WholePost } from "../post/post";
import { categoryById, tagsOf } from "./categories-and-tags";
import { translationOf } from "./translations";

const withId = findRowByColumn(posts, "id");

/** Includes posts in the trash. */
export function postRow(platen: Platen, id: number | null): PostRow | undefined {
  return id === null ? undefined : withId(platen, id);
}

export function wholePost(platen: Platen, post: Post): WholePost {
  return { ...post, ...contentOf(platen, post.id), translationOf: translationOf(platen, post) };
}

export function postOfRow(platen: Platen, row: PostRow, blog: Blog = blogOfRow(platen, row)): Post {
  return withBelongings(platen, blog, [{ ...row, category: categoryOfRow(platen, row) }])[0] as Post;
}

export function categoryOfRow(platen: Platen, { categoryId }: Pick<PostRow, "categoryId">) {
  return categoryId === null ? null : (categoryById(platen, categoryId) ?? null);
}

function withBelongings(platen: Platen, blog: Blog, rows: (PostRow & Pick<Post, "category">)[]): Post[] {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const tags = tagsOf(platen, ids);
  const attached = attachmentsOf(platen, ids);
  return rows.map((row) =>
    Object.assign(row, { blog, tags: tags.get(row.id) ?? [], attachments: attached.get(row.id) ?? [] }),
  );
}

/** In the order of the ids. All posts must belong to the blog. */
export function postsWithIds(platen: Platen, blog: Blog, ids: number[]): Post[] {
  const columns = { ...getTableColumns(posts), category: categories };
  const isOfPost = eq(categories.id, posts.categoryId);
  const found = platen.db.select(columns).from(posts).leftJoin(categories, isOfPost);
  return withBelongings(platen, blog, inOrder(ids, found.where(among(posts.id, ids)).all()));
}

const { id, slug, title, summary, excerpt, properties, language } = posts;
export const LINK_COLUMNS = { id, slug, title, summary, excerpt, properties, language };

export function linksWithIds({ db }: Platen, ids: number[]): LinkedPost[] {
  return inOrder(ids, db.select(LINK_COLUMNS).from(posts).where(among(posts.id, ids)).all());
}

export function inOrder<Row extends { id: number }>(ids: number[], rows: Row[]): Row[] {
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

/** Existing rows keep their id. Call this function in a transaction. */
export function attachBlobs(platen: Platen, postId: number, blobIds: number[], before: Attachment[]) {
  if (blobIds.length + before.length === 0) return [];
  for (const statement of replaceAttachments(platen))
    statement.run({ postId, blobIds: JSON.stringify(blobIds) });
  return attachmentsOf(platen, [postId]).get(postId) ?? [];
}

const replaceAttachments = prepared(({ $client }) => [
  $client.query(
    "DELETE FROM attachments WHERE post_id = $postId AND blob_id NOT IN (SELECT value FROM json_each($blobIds))",
  ),
  $client.query(
    `INSERT INTO attachments (post_id, blob_id, position) SELECT $postId, value, key FROM json_each($blobIds) WHERE true
     ON CONFLICT (post_id, blob_id) DO UPDATE SET position = excluded.position`,
  ),
]);

export function attachmentsOf({ db }: Platen, postIds: number[]): Map<number, Attachment[]> {
  const stored = db.select().from(attachments).innerJoin(blobs, eq(blobs.id, attachments.blobId));
  const rows = stored.where(among(attachments.postId, postIds)).all();
  const found = rows.map((row) => ({ ...row.attachments, blob: row.blobs }));
  found.sort((a, b) => a.position - b.position);
  return Map.groupBy(found, (attachment) => attachment.postId);
}

/** May load several megabytes, so do not call this function for each post of a list. */
export function contentOf(platen: Platen, postId: number): Content {
  return contentsOf(platen, [postId]).get(postId) as Content;
}

export function contentsOf(platen: Platen, postIds: number[]): Map<number, Content> {
  const rows = findRows(platen, contents, among(contents.postId, postIds));
  return new Map(rows.map(({ postId, ...row }) => [postId, { ...row, source: row.source ?? row.html }]));
}

/** Call this function in the transaction that writes the post's `contentFields`. */
export function storeContent({ db }: Platen, postId: number, content: Content): void {
  const { sourceType, html, text } = content;
  const row = { sourceType, html, text, source: content.source === html ? null : content.source };
  const insertion = db.insert(contents).values({ postId, ...row });
  insertion.onConflictDoUpdate({ target: contents.postId, set: row }).run();
}

export function contentFields(content: Content, before: Pick<PostRow, "contentVersion"> | null) {
  return {
    excerpt: postExcerpt(content),
    htmlBytes: Buffer.byteLength(content.html),
    sourceBytes: Buffer.byteLength(content.source),
    contentVersion: before ? before.contentVersion + 1 : 0,
  };
}

export function excerptOf(platen: Platen, { id, excerpt }: Pick<PostRow, "id" | "excerpt">): string {
  return excerpt ?? postExcerpt(contentOf(platen, id));
}
