import { desc } from "drizzle-orm";
import { type Blog, blogsOf } from "../../../blogs/blogs";
import {
  countRows,
  deleteRows,
  findRow,
  findRowBy,
  findRows,
  hasRow,
  insertRow,
  updateRows,
  upsertRow,
} from "../../../database/rows";
import { importRecords, imports } from "../../../database/schema";
import { requireFound } from "../../../errors";
import type { Platen } from "../../../platen";
import type { Post } from "../../../posts/post/post";
import { joinTranslation } from "../../../posts/storage/translations";
import { hashSecret } from "../../../secrets";

export type ImportRow = typeof imports.$inferSelect;
type Kind = (typeof importRecords.$inferSelect)["kind"];

/** Continues an interrupted import from the same source. */
export function startImport(platen: Platen, blog: Blog, format: string, source: string): ImportRow {
  const row = { blogId: blog.id, format, source };
  const interrupted = findRow(platen, imports, { ...row, finishedAt: null });
  return interrupted ?? insertRow(platen, imports, { ...row, startedAt: platen.now() });
}

/** Deletes an import without records. @returns whether it had records */
export function finishImport(platen: Platen, { id }: ImportRow): boolean {
  const hasRecords = hasRow(platen, importRecords, { importId: id });
  if (hasRecords) updateRows(platen, imports, { id }, { finishedAt: platen.now() });
  else deleteRows(platen, imports, { id });
  return hasRecords;
}

export function findImport(platen: Platen, id: number): ImportRow {
  return requireFound(findRow(platen, imports, { id }), "import");
}

/** Newest first. @param max -1 for all */
export function listImports(platen: Platen, blog?: Pick<Blog, "id">, max = -1): ImportRow[] {
  const range = { orderBy: desc(imports.id), limit: max };
  return findRows(platen, imports, blog && { blogId: blog.id }, range);
}

export function countRecords(platen: Platen, importId: number, kind: Kind): number {
  return countRows(platen, importRecords, { importId, kind });
}

/** Id of the row that an import created under this name. The row may have been deleted since. */
export function findRecord(platen: Platen, blogId: number, kind: Kind, name: string): number | undefined {
  return recordWithKey(platen, { blogId, kind, key: hashSecret(name) })?.thingId;
}

const recordWithKey = findRowBy(importRecords, ["blogId", "kind", "key"]);

/** Call this function in the transaction that creates the row. */
export function addRecord(platen: Platen, run: ImportRow, kind: Kind, name: string, thingId: number): void {
  const record = { importId: run.id, blogId: run.blogId, kind, key: hashSecret(name), thingId };
  upsertRow(platen, importRecords, record, ["blogId", "kind", "key"]);
}

export function removeRecord(platen: Platen, blogId: number, kind: Kind, name: string): void {
  deleteRows(platen, importRecords, { blogId, kind, key: hashSecret(name) });
}

/**
 * Makes posts with the same key translations of each other. Call this function in the transaction that saves
 * the post.
 */
export function joinTranslations(platen: Platen, run: ImportRow, post: Post, key: string | null): void {
  if (key === null || key === "") return;
  const name = `translation ${key}`;
  // Keys made by Platen are globally unique, so they also connect posts in other blogs of the account.
  const blogs = key.startsWith("urn:uuid:") ? blogsOf(platen, { id: post.blog.accountId }) : [post.blog];
  const others = blogs.map(({ id }) => findRecord(platen, id, "rest", name));
  if (!others.some((id) => id !== undefined && id !== post.id && joinTranslation(platen, post, id)))
    addRecord(platen, run, "rest", name, post.id);
}
