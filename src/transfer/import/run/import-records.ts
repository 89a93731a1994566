import { and, asc, count, desc, eq, isNull } from "drizzle-orm";
import { type Blog, blogsOf } from "../../../blogs/blogs";
import { importRecords, imports } from "../../../database/schema";
import { notFound } from "../../../errors";
import type { Platen } from "../../../platen";
import type { Post } from "../../../posts/post/post";
import { joinTranslation } from "../../../posts/storage/translations";
import { hashSecret } from "../../../secrets";

export type ImportRow = typeof imports.$inferSelect;
type Kind = (typeof importRecords.$inferSelect)["kind"];

/** Continues an interrupted import from the same source. */
export function startImport(platen: Platen, blog: Blog, format: string, source: string): ImportRow {
  const ofSource = and(eq(imports.format, format), eq(imports.source, source));
  const isInterrupted = and(eq(imports.blogId, blog.id), ofSource, isNull(imports.finishedAt));
  const interrupted = platen.db.select().from(imports).where(isInterrupted).get();
  if (interrupted) return interrupted;
  const row = { blogId: blog.id, format, source, startedAt: platen.now() };
  return platen.db.insert(imports).values(row).returning().get();
}

/** Deletes an import without records. @returns whether it had records */
export function finishImport(platen: Platen, { id }: ImportRow): boolean {
  const hasRecords = listRecords(platen, id, 1).length > 0;
  if (!hasRecords) deleteImport(platen, id);
  else platen.db.update(imports).set({ finishedAt: platen.now() }).where(eq(imports.id, id)).run();
  return hasRecords;
}

export function deleteImport(platen: Platen, id: number): void {
  platen.db.delete(imports).where(eq(imports.id, id)).run();
}

export function findImport(platen: Platen, id: number): ImportRow {
  const row = platen.db.select().from(imports).where(eq(imports.id, id)).get();
  if (!row) throw notFound("import");
  return row;
}

/** Newest first. @param max -1 for all */
export function listImports(platen: Platen, blog?: Pick<Blog, "id">, max = -1): ImportRow[] {
  return platen.db
    .select()
    .from(imports)
    .where(blog && eq(imports.blogId, blog.id))
    .orderBy(desc(imports.id))
    .limit(max)
    .all();
}

export function countRecords({ db }: Platen, importId: number, kind: Kind): number {
  const isMatch = and(eq(importRecords.importId, importId), eq(importRecords.kind, kind));
  return db.select({ made: count() }).from(importRecords).where(isMatch).get()?.made ?? 0;
}

/** Id of the row that an import created under this name. The row may have been deleted since. */
export function findRecord({ db }: Platen, blogId: number, kind: Kind, name: string): number | undefined {
  const isRecord = hasKey(blogId, kind, name);
  return db.select().from(importRecords).where(isRecord).get()?.thingId;
}

function hasKey(blogId: number, kind: Kind, name: string) {
  const isKey = eq(importRecords.key, hashSecret(name));
  return and(eq(importRecords.blogId, blogId), eq(importRecords.kind, kind), isKey);
}

/** Call this function in the transaction that creates the row. */
export function addRecord(
  platen: Platen,
  { id: importId, blogId }: ImportRow,
  kind: Kind,
  name: string,
  thingId: number,
): void {
  platen.db
    .insert(importRecords)
    .values({ importId, blogId, kind, key: hashSecret(name), thingId })
    .onConflictDoUpdate({
      target: [importRecords.blogId, importRecords.kind, importRecords.key],
      set: { importId, thingId },
    })
    .run();
}

export function removeRecord({ db }: Platen, blogId: number, kind: Kind, name: string): void {
  db.delete(importRecords)
    .where(hasKey(blogId, kind, name))
    .run();
}

export function listRecords({ db }: Platen, importId: number, max: number, kind?: Kind) {
  return db
    .select()
    .from(importRecords)
    .where(and(eq(importRecords.importId, importId), kind && eq(importRecords.kind, kind)))
    .orderBy(asc(importRecords.kind), asc(importRecords.id))
    .limit(max)
    .all();
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
