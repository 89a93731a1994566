import { count, inArray } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Account } from "../../accounts/accounts";
import { recordAuditEvent } from "../../accounts/audit-log";
import { komments, posts, revisions } from "../../database/schema";
import { inSharedTransaction, inTransaction } from "../../database/transactions";
import type { StoredBlob } from "../../media/files/blobs";
import type { Platen } from "../../platen";
import { deleteUnused, findMentions } from "../library/deleting-unused-files";
import { postsUsing } from "../library/file-uses";
import type { PostRow } from "../post/post";
import { attachmentsOf } from "../storage/stored-posts";
import { expiredPosts } from "./trash";

const POSTS_PER_CALL = 20;
/** Maximum number of rows per transaction. */
const ROWS_PER_TRANSACTION = 500;

export function purgeExpiredPosts(platen: Platen): void {
  const outlived = expiredPosts(platen, POSTS_PER_CALL);
  if (outlived.length > 0) void purgePosts(platen, outlived);
}

/**
 * Purges deleted posts with their komments and revisions, then unused files.
 * @param by who purges the posts early
 * @returns the deleted files
 */
export async function purgePosts(
  platen: Platen,
  deleted: Pick<PostRow, "id">[],
  by?: Account,
): Promise<StoredBlob[]> {
  const ids = deleted.map(({ id }) => id);
  const shown = shownBy(platen, ids);
  await deleteDependentRows(platen, ids);
  inTransaction(platen, () => {
    removePosts(platen, ids);
    if (by && ids.length > 0)
      recordAuditEvent(platen, "deleted posts permanently", { account: by, about: String(ids.length) });
  });
  try {
    return await deleteUnused(platen, shown);
  } catch (fault) {
    platen.log(`Files of deleted posts could not be removed: ${fault}`);
    return [];
  }
}

/** Deletes komments and revisions in batches if there are many. */
export async function deleteDependentRows(platen: Platen, ids: number[]): Promise<void> {
  for (const table of [komments, revisions]) {
    const some = () => {
      const of = inArray(table.postId, ids);
      return platen.db.select({ id: table.id }).from(table).where(of).limit(ROWS_PER_TRANSACTION).all();
    };
    for (let rows = some(); rows.length === ROWS_PER_TRANSACTION; rows = some()) {
      const these = inArray(
        table.id,
        rows.map(({ id }) => id),
      );
      await inSharedTransaction(platen, () => void platen.db.delete(table).where(these).run());
    }
  }
}

/** Deletes the rows and everything that cascades. For live posts, call `deletePost` first. */
export function removePosts(platen: Platen, ids: number[]): void {
  platen.db.delete(posts).where(inArray(posts.id, ids)).run();
}

interface Belonging {
  komments: number;
  revisions: number;
  files: StoredBlob[];
}

/** Returns what a purge would delete. @throws Refusal (busy) */
export async function purgePreview(platen: Platen, ids: number[]): Promise<Belonging> {
  const { db } = platen;
  const isOf = (column: SQLiteColumn) => inArray(column, ids);
  const files = shownBy(platen, ids);
  const uses = postsUsing(platen, files);
  const mentions = await findMentions(platen, files);
  const isOnlyTheirs = ({ id }: StoredBlob) =>
    (uses.get(id) ?? []).every((post) => ids.includes(post.id)) &&
    (mentions.get(id) ?? []).every(
      (one) => (one.kind === "post" || one.kind === "revision") && ids.includes(one.id),
    );
  return {
    komments: db.select({ n: count() }).from(komments).where(isOf(komments.postId)).get()?.n ?? 0,
    revisions: db.select({ n: count() }).from(revisions).where(isOf(revisions.postId)).get()?.n ?? 0,
    files: files.filter(isOnlyTheirs),
  };
}

function shownBy(platen: Platen, ids: number[]): StoredBlob[] {
  const shown = [...attachmentsOf(platen, ids).values()].flat().map(({ blob }) => blob);
  return [...new Map(shown.map((one) => [one.id, one])).values()];
}
