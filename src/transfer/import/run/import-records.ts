import { and, asc, count, desc, eq, isNull, sql } from "drizzle-orm";
import type { Blog } from "../../../blogs/blogs";
import { prepared } from "../../../database/prepared";
import { importRecords, imports } from "../../../database/schema";
import { inTransaction } from "../../../database/transactions";
import { notFound } from "../../../errors";
import type { Platen } from "../../../platen";
import { hashSecret } from "../../../secrets";

export type ImportRow = typeof imports.$inferSelect;
type Kind = (typeof importRecords.$inferSelect)["kind"];

/** Continues an interrupted import of the same source, or starts one. */
export function startImport(platen: Platen, blog: Blog, format: string, source: string): ImportRow {
  const cutOff = platen.db
    .select()
    .from(imports)
    .where(
      and(
        eq(imports.blogId, blog.id),
        eq(imports.format, format),
        eq(imports.source, source),
        isNull(imports.finishedAt),
      ),
    )
    .get();
  if (cutOff) return cutOff;
  const fresh = { blogId: blog.id, format, source, startedAt: platen.now() };
  return platen.db.insert(imports).values(fresh).returning().get();
}

/** Deletes an import without records. @returns whether it has any */
export function finishImport(platen: Platen, { id }: ImportRow): boolean {
  const isAnything = listRecords(platen, id, 1).length > 0;
  if (!isAnything) deleteImport(platen, id);
  else platen.db.update(imports).set({ finishedAt: platen.now() }).where(eq(imports.id, id)).run();
  return isAnything;
}

export function deleteImport(platen: Platen, id: number): void {
  platen.db.delete(imports).where(eq(imports.id, id)).run();
}

export function findImport(platen: Platen, id: number): ImportRow {
  const row = platen.db.select().from(imports).where(eq(imports.id, id)).get();
  if (!row) throw notFound("import");
  return row;
}

/** Newest first. @param most -1 for all */
export function listImports(platen: Platen, blog?: Pick<Blog, "id">, most = -1): ImportRow[] {
  return platen.db
    .select()
    .from(imports)
    .where(blog && eq(imports.blogId, blog.id))
    .orderBy(desc(imports.id))
    .limit(most)
    .all();
}

export function countRecords({ db }: Platen, importId: number, kind: Kind): number {
  const isOne = and(eq(importRecords.importId, importId), eq(importRecords.kind, kind));
  return db.select({ made: count() }).from(importRecords).where(isOne).get()?.made ?? 0;
}

/** Id of the row that any import into the blog created for this name. The row may be deleted by now. */
export function findRecord(platen: Platen, blogId: number, kind: Kind, name: string): number | undefined {
  return withKey(platen).get({ blogId, kind, key: hashSecret(name) })?.thingId;
}

const withKey = prepared((db) =>
  db.select({ thingId: importRecords.thingId }).from(importRecords).where(isOfKey()).prepare(),
);

function isOfKey() {
  return and(
    eq(importRecords.blogId, sql.placeholder("blogId")),
    eq(importRecords.kind, sql.placeholder("kind")),
    eq(importRecords.key, sql.placeholder("key")),
  );
}

/** Call it in the transaction that creates the row. */
export function addRecord(
  platen: Platen,
  { id: importId, blogId }: ImportRow,
  kind: Kind,
  name: string,
  thingId: number,
): void {
  insertRecord(platen).run({ importId, blogId, kind, key: hashSecret(name), thingId });
}

const insertRecord = prepared((db) =>
  db
    .insert(importRecords)
    .values({
      importId: sql.placeholder("importId"),
      blogId: sql.placeholder("blogId"),
      kind: sql.placeholder("kind"),
      key: sql.placeholder("key"),
      thingId: sql.placeholder("thingId"),
    })
    .onConflictDoUpdate({
      target: [importRecords.blogId, importRecords.kind, importRecords.key],
      set: { importId: sql`excluded.import_id`, thingId: sql`excluded.thing_id` },
    })
    .prepare(),
);

export function removeRecord(platen: Platen, blogId: number, kind: Kind, name: string): void {
  deleteRecord(platen).run({ blogId, kind, key: hashSecret(name) });
}

const deleteRecord = prepared((db) => db.delete(importRecords).where(isOfKey()).prepare());

/** @param take returns the new id, or null if the message exists @returns whether it is new */
export function insertAndRecord(platen: Platen, run: ImportRow, take: () => number | null): boolean {
  return inTransaction(platen, () => {
    const id = take();
    if (id !== null) addRecord(platen, run, "message", String(id), id);
    return id !== null;
  });
}

export function listRecords({ db }: Platen, importId: number, most: number, kind?: Kind) {
  return db
    .select()
    .from(importRecords)
    .where(and(eq(importRecords.importId, importId), kind && eq(importRecords.kind, kind)))
    .orderBy(asc(importRecords.kind), asc(importRecords.id))
    .limit(most)
    .all();
}
