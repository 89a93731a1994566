import { and, count, eq, gt, inArray, sql } from "drizzle-orm";
import { type Blog, blogOfRow } from "../../../blogs/blogs";
import { among, deleteRows, findRows, findValues } from "../../../database/rows";
import { blobs, categories, importRecords, messages, posts, tags } from "../../../database/schema";
import { inSharedTransaction, unsynced } from "../../../database/transactions";
import { deleteBlobs } from "../../../media/deleting-media";
import type { Platen } from "../../../platen";
import { postsUsing } from "../../../posts/media-library/listing-and-alt-texts";
import { findMentions } from "../../../posts/media-library/unused-files";
import { removeFromIndex } from "../../../posts/storage/full-text-search";
import { postOfRow } from "../../../posts/storage/stored-posts";
import { deleteDependentRows, deletePost, removePosts } from "../../../posts/trash";
import { yieldToEventLoop } from "../../../runtime/yielding";
import { countRecords, finishImport, type ImportRow } from "./import-records";
import type { UndoneImport } from "./import-report";

/** Short transactions keep the server responsive. */
const POSTS_PER_TRANSACTION = 5;
const FILES_PER_TRANSACTION = 20;
const RECORDS_PER_TRANSACTION = 200;

export function countChangedPosts({ db }: Platen, { id, startedAt }: ImportRow): number {
  const isChanged = and(
    eq(importRecords.importId, id),
    eq(importRecords.kind, "post"),
    gt(posts.updatedAt, startedAt),
    gt(posts.contentVersion, 0),
  );
  const ofPosts = eq(posts.id, importRecords.thingId);
  const counted = db.select({ n: count() }).from(importRecords).innerJoin(posts, ofPosts).where(isChanged);
  return counted.get()?.n ?? 0;
}

/**
 * Also deletes posts that were edited since. Subscribers and settings stay. A second call continues an
 * interrupted one.
 */
export async function undoImport(
  platen: Platen,
  run: ImportRow,
  onProgress: (done: number, all: number) => void = () => {},
): Promise<UndoneImport> {
  const blog = blogOfRow(platen, run);
  const all = countRecords(platen, run.id, "post");
  const undone = { posts: 0, files: 0 };
  onProgress(0, all);
  await unsynced(platen, async () => {
    for (const records of batchesOf(platen, run, "post", POSTS_PER_TRANSACTION)) {
      const ids = records.map(({ thingId }) => thingId);
      await deleteDependentRows(platen, ids);
      undone.posts += await inSharedTransaction(platen, () => {
        forgetRecords(platen, records);
        return deleteImportedPosts(platen, blog, run, ids);
      });
      onProgress(undone.posts, all);
    }
  });
  undone.files = await deleteImportedFiles(platen, run);
  for (const [kind, table, isUnused] of OTHER_KINDS)
    for (const records of batchesOf(platen, run, kind, RECORDS_PER_TRANSACTION))
      await inSharedTransaction(platen, () => {
        const ids = records.map(({ thingId }) => thingId);
        if (table) deleteRows(platen, table, and(inArray(table.id, ids), isUnused));
        forgetRecords(platen, records);
      });
  // Deletes the import, because its records are deleted.
  finishImport(platen, run);
  return undone;
}

const OTHER_KINDS = [
  ["message", messages, undefined],
  ["category", categories, sql`not exists (select 1 from posts where category_id = ${categories.id})`],
  ["tag", tags, sql`not exists (select 1 from post_tags where tag_id = ${tags.id})`],
  // Unused files are already deleted. Files in other posts stay.
  ["file", null, undefined],
  ["rest", null, undefined],
] as const;

type ImportRecord = typeof importRecords.$inferSelect;

/** The records of a batch must be deleted before the next batch is read. */
function* batchesOf(platen: Platen, { id }: ImportRow, kind: ImportRecord["kind"], size: number) {
  const range = { orderBy: importRecords.id, limit: size };
  const next = () => findRows(platen, importRecords, { importId: id, kind }, range);
  for (let records = next(); records.length > 0; records = next()) yield records;
}

function deleteImportedPosts(platen: Platen, blog: Blog, run: ImportRow, ids: number[]): number {
  const rows = findRows(platen, posts, inArray(posts.id, ids));
  for (const row of rows) {
    // Webhooks were called only for posts that changed or went live after the import.
    const isKnown = row.updatedAt > run.startedAt || (row.publishedAt ?? run.startedAt) > run.startedAt;
    if (row.deletedAt === null && isKnown) deletePost(platen, postOfRow(platen, row, blog));
    else removeFromIndex(platen, row.id);
  }
  removePosts(platen, ids);
  return rows.length;
}

function forgetRecords(platen: Platen, records: ImportRecord[]): void {
  const ids = records.map(({ id }) => id);
  deleteRows(platen, importRecords, inArray(importRecords.id, ids));
}

async function deleteImportedFiles(platen: Platen, run: ImportRow): Promise<number> {
  const ids = findValues(platen, importRecords, "thingId", { importId: run.id, kind: "file" });
  const files = findRows(platen, blobs, among(blobs.id, ids));
  const mentioned = await findMentions(platen, files);
  const unmentioned = files.filter(({ id }) => !mentioned.has(id));
  let deleted = 0;
  for (let first = 0; first < unmentioned.length; first += FILES_PER_TRANSACTION) {
    const batch = unmentioned.slice(first, first + FILES_PER_TRANSACTION);
    const shown = () => postsUsing(platen, batch);
    await yieldToEventLoop();
    deleted += deleteBlobs(platen, () => batch.filter(({ id }) => !shown().has(id))).length;
  }
  return deleted;
}
