import { and, desc, eq, inArray, isNotNull, lte } from "drizzle-orm";
import type { Account } from "../accounts/accounts";
import { recordAuditEvent } from "../accounts/audit-log";
import type { Blog } from "../blogs/blogs";
import { DAY } from "../config/units";
import { countRows, deleteRows, findRows } from "../database/rows";
import { komments, posts, revisions } from "../database/schema";
import { inSharedTransaction, inTransaction } from "../database/transactions";
import type { StoredBlob } from "../media/files/blobs";
import type { Platen } from "../platen";
import { postsUsing } from "./media-library/listing-and-alt-texts";
import { deleteUnused, findMentions } from "./media-library/unused-files";
import type { Post, PostRow } from "./post/post";
import { indexPost, removeFromIndex } from "./storage/full-text-search";
import { unusedSlug } from "./storage/slugs-and-permanent-ids";
import { attachmentsOf, contentOf, postOfRow } from "./storage/stored-posts";
import { recordEventIfDue, recordPostEvent, updatePostFields } from "./writing/saving";

export function deletePost(platen: Platen, post: Post): void {
  const at = platen.now();
  inTransaction(platen, () => {
    recordEventIfDue(platen, post, at);
    const after = updatePostFields(platen, post.id, { deletedAt: at });
    removeFromIndex(platen, post.id);
    recordPostEvent(platen, { blog: post.blog, after, at });
  });
}

/** The post gets another slug if its own is taken. */
export function undeletePost(platen: Platen, blog: Blog, deleted: PostRow): Post {
  return inTransaction(platen, () => {
    const at = platen.now();
    const slug = unusedSlug(platen, blog.id, deleted.slug, deleted.id);
    const row = updatePostFields(platen, deleted.id, { deletedAt: null, slug, updatedAt: at });
    indexPost(platen, row, contentOf(platen, row.id).text);
    recordPostEvent(platen, { blog, after: row, at });
    return postOfRow(platen, row, blog);
  });
}

const RETENTION_MS = 30 * DAY;

export function purgeTime({ deletedAt }: Pick<PostRow, "deletedAt">): Date | null {
  return deletedAt && new Date(deletedAt.getTime() + RETENTION_MS);
}

const inTrash = (blog: Blog) => and(eq(posts.blogId, blog.id), isNotNull(posts.deletedAt));

const LAST_DELETED_FIRST = [desc(posts.deletedAt), desc(posts.id)];

export function deletedPosts(platen: Platen, blog: Blog, page: number, limit: number) {
  const range = { orderBy: LAST_DELETED_FIRST, limit, offset: (page - 1) * limit };
  const rows = findRows(platen, posts, inTrash(blog), range);
  return { posts: rows, total: countRows(platen, posts, inTrash(blog)) };
}

export function deletedPostsAmong(platen: Platen, blog: Blog, ids: number[]): PostRow[] {
  const isChosen = and(inTrash(blog), inArray(posts.id, ids));
  return findRows(platen, posts, isChosen, { orderBy: LAST_DELETED_FIRST });
}

const POSTS_PER_CALL = 20;
const ROWS_PER_BATCH = 500;

/** @returns whether more posts may be left to purge */
export async function purgeExpiredPosts(platen: Platen): Promise<boolean> {
  const isExpired = lte(posts.deletedAt, new Date(platen.now().getTime() - RETENTION_MS));
  const range = { orderBy: posts.deletedAt, limit: POSTS_PER_CALL, columns: ["id" as const] };
  const first = findRows(platen, posts, isExpired, range);
  if (first.length > 0) await purgePosts(platen, first);
  return first.length === POSTS_PER_CALL;
}

/**
 * Deletes the posts, then the files that only they used.
 * @param by account for the audit log; undefined for expired posts
 * @returns the deleted files
 */
export async function purgePosts(platen: Platen, deleted: Pick<PostRow, "id">[], by?: Account) {
  const ids = deleted.map(({ id }) => id);
  const shown = shownBy(platen, ids);
  await deleteDependentRows(platen, ids);
  inTransaction(platen, () => {
    // A post may have been restored during `deleteDependentRows`.
    const isStillDeleted = and(inArray(posts.id, ids), isNotNull(posts.deletedAt));
    deleteRows(platen, posts, isStillDeleted);
    if (by && ids.length > 0)
      recordAuditEvent(platen, "deleted posts permanently", { account: by, about: String(ids.length) });
  });
  try {
    return await deleteUnused(platen, shown);
  } catch (error) {
    platen.log(`Files of deleted posts could not be removed: ${error}`);
    return [];
  }
}

/** Deletes komments and revisions in short transactions. Leaves the last batch to `removePosts`. */
export async function deleteDependentRows(platen: Platen, ids: number[]): Promise<void> {
  const of = JSON.stringify(ids);
  for (const table of ["komments", "revisions"]) {
    const some = `SELECT id FROM ${table} WHERE post_id IN (SELECT value FROM json_each(?)) LIMIT ${ROWS_PER_BATCH}`;
    const deletion = platen.db.$client.query(`DELETE FROM ${table} WHERE id IN (${some})`);
    while (platen.db.$client.query(some).all(of).length === ROWS_PER_BATCH)
      await inSharedTransaction(platen, () => void deletion.run(of));
  }
}

/** Call `deletePost` first for posts outside the trash, because it records the event. */
export function removePosts(platen: Platen, ids: number[]): void {
  deleteRows(platen, posts, inArray(posts.id, ids));
}

/** Counts what `purgePosts` would delete. @throws Refusal (busy) */
export async function purgePreview(platen: Platen, ids: number[]) {
  const files = shownBy(platen, ids);
  const uses = postsUsing(platen, files);
  const mentions = await findMentions(platen, files);
  const isOnlyTheirs = ({ id }: StoredBlob) =>
    (uses.get(id) ?? []).every((post) => ids.includes(post.id)) &&
    (mentions.get(id) ?? []).every(
      (one) => (one.kind === "post" || one.kind === "revision") && ids.includes(one.id),
    );
  return {
    komments: countRows(platen, komments, inArray(komments.postId, ids)),
    revisions: countRows(platen, revisions, inArray(revisions.postId, ids)),
    files: files.filter(isOnlyTheirs),
  };
}

function shownBy(platen: Platen, ids: number[]): StoredBlob[] {
  const shown = [...attachmentsOf(platen, ids).values()].flat().map(({ blob }) => blob);
  return [...new Map(shown.map((one) => [one.id, one])).values()];
}
