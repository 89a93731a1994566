import { and, desc, eq, sql } from "drizzle-orm";
import { prepared } from "../../database/prepared";
import { blobs } from "../../database/schema";
import type { Platen } from "../../platen";

/** An uploaded file's row. */
export type StoredBlob = typeof blobs.$inferSelect;

const withId = prepared((db) =>
  db
    .select()
    .from(blobs)
    .where(eq(blobs.id, sql.placeholder("id")))
    .prepare(),
);
const inFolder = prepared((db) =>
  db
    .select()
    .from(blobs)
    .where(eq(blobs.folder, sql.placeholder("folder")))
    .prepare(),
);
const named = prepared((db) =>
  db
    .select({ id: blobs.id })
    .from(blobs)
    .where(and(eq(blobs.blogId, sql.placeholder("blogId")), eq(blobs.filename, sql.placeholder("filename"))))
    .prepare(),
);

export function blobWithId(platen: Platen, id: number): StoredBlob | undefined {
  return withId(platen).get({ id });
}

export function blobInFolder(platen: Platen, folder: string): StoredBlob | undefined {
  return inFolder(platen).get({ folder });
}

export function isFilenameTaken(platen: Platen, blogId: number, filename: string): boolean {
  return named(platen).get({ blogId, filename }) !== undefined;
}

/** Newest first. @param named part of the filename */
export function recentBlobs(
  platen: Platen,
  blogId: number,
  { limit, offset, named = "" }: { limit: number; offset: number; named?: string },
): StoredBlob[] {
  return platen.db
    .select()
    .from(blobs)
    .where(and(eq(blobs.blogId, blogId), sql`instr(lower(${blobs.filename}), lower(${named})) > 0`))
    .orderBy(desc(blobs.id))
    .limit(limit)
    .offset(offset)
    .all();
}
