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

/** The one of the same name that was cut off, to go on with, or a new one. */
export function beginImport(platen: Platen, blog: Blog, format: string, source: string): ImportRow {
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

/** One that brought nothing leaves no trace. @returns whether it brought anything */
export function endImport(platen: Platen, { id }: ImportRow): boolean {
  const isAnything = recordsOf(platen, id, 1).length > 0;
  if (!isAnything) forgetImport(platen, id);
  else platen.db.update(imports).set({ finishedAt: platen.now() }).where(eq(imports.id, id)).run();
  return isAnything;
}

export function forgetImport(platen: Platen, id: number): void {
  platen.db.delete(imports).where(eq(imports.id, id)).run();
}

/** @throws Refusal (missing) */
export function importWithId(platen: Platen, id: number): ImportRow {
  const row = platen.db.select().from(imports).where(eq(imports.id, id)).get();
  if (!row) throw notFound("import");
  return row;
}

/** Newest first. @param most how many of them; without it all */
export function listImports(platen: Platen, blog?: Pick<Blog, "id">, most = -1): ImportRow[] {
  return platen.db
    .select()
    .from(imports)
    .where(blog && eq(imports.blogId, blog.id))
    .orderBy(desc(imports.id))
    .limit(most)
    .all();
}

export function countMade({ db }: Platen, importId: number, kind: Kind): number {
  const isOne = and(eq(importRecords.importId, importId), eq(importRecords.kind, kind));
  return db.select({ made: count() }).from(importRecords).where(isOne).get()?.made ?? 0;
}

/** The id of what was made of the thing of this name by any import into the blog, whether it is still there or not. */
export function madeBefore(platen: Platen, blogId: number, kind: Kind, name: string): number | undefined {
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

/** To be called in the transaction that makes the thing. */
export function recordMade(
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

export function forgetMade(platen: Platen, blogId: number, kind: Kind, name: string): void {
  deleteRecord(platen).run({ blogId, kind, key: hashSecret(name) });
}

const deleteRecord = prepared((db) => db.delete(importRecords).where(isOfKey()).prepare());

/** A message, as `take` takes it over. @param take gives its id, or null where it was there @returns whether it was new */
export function takenAndRecorded(platen: Platen, run: ImportRow, take: () => number | null): boolean {
  return inTransaction(platen, () => {
    const id = take();
    if (id !== null) recordMade(platen, run, "message", String(id), id);
    return id !== null;
  });
}

/** The first of those that are left. */
export function recordsOf({ db }: Platen, importId: number, most: number, kind?: Kind) {
  return db
    .select()
    .from(importRecords)
    .where(and(eq(importRecords.importId, importId), kind && eq(importRecords.kind, kind)))
    .orderBy(asc(importRecords.kind), asc(importRecords.id))
    .limit(most)
    .all();
}
