import { and, count, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { findRowBy, findRowByColumn } from "../../database/prepared";
import { blobs, formerMedia } from "../../database/schema";
import type { Platen } from "../../platen";

export type StoredBlob = typeof blobs.$inferSelect;

export const blobWithId = findRowByColumn(blobs, "id");
const inFolder = findRowByColumn(blobs, "folder");
const formerInFolder = findRowByColumn(formerMedia, "folder");
const named = findRowBy(blobs, ["blogId", "filename"]);

/** False if the blob was deleted or replaced. A replacement gets a new folder. */
export function isCurrent(platen: Platen, { id, folder }: StoredBlob): boolean {
  return blobWithId(platen, id)?.folder === folder;
}

export function isAtStore(platen: Platen, { id, folder }: StoredBlob): boolean {
  const found = blobWithId(platen, id);
  return found?.folder === folder && found.atStore !== null;
}

/** For the old folder of a replaced file, returns the current blob. */
export function blobInFolder(platen: Platen, folder: string): StoredBlob | undefined {
  const found = inFolder(platen, folder);
  const former = found ? undefined : formerInFolder(platen, folder);
  return former ? blobWithId(platen, former.blobId) : found;
}

export function foldersOf({ db }: Platen, files: Pick<StoredBlob, "id" | "folder">[]): Map<string, number> {
  const ids = files.map(({ id }) => id);
  const former = db.select().from(formerMedia).where(inArray(formerMedia.blobId, ids)).all();
  const current = files.map(({ id, folder }) => ({ folder, blobId: id }));
  return new Map([...former, ...current].map(({ folder, blobId }) => [folder, blobId]));
}

export function isFilenameTaken(platen: Platen, blogId: number, filename: string): boolean {
  return named(platen, { blogId, filename }) !== undefined;
}

export function countBlobs(platen: Platen, blogId: number): number {
  return platen.db.select({ all: count() }).from(blobs).where(eq(blobs.blogId, blogId)).get()?.all ?? 0;
}

/** Newest first. @param before lists only blobs with a lower id */
export function recentBlobs(
  platen: Platen,
  blogId: number,
  page: { limit: number; offset: number; filename?: string; before?: number },
): StoredBlob[] {
  const { limit, offset, filename = "", before } = page;
  return platen.db
    .select()
    .from(blobs)
    .where(
      and(
        eq(blobs.blogId, blogId),
        filename === "" ? undefined : sql`instr(lower(${blobs.filename}), lower(${filename})) > 0`,
        before === undefined ? undefined : lt(blobs.id, before),
      ),
    )
    .orderBy(desc(blobs.id))
    .limit(limit)
    .offset(offset)
    .all();
}

export function mediaTotalsOf({ db }: Platen, { id }: { id: number }): { files: number; bytes: number } {
  const totals = { files: count(), bytes: sql<number>`coalesce(sum(${blobs.byteSize}), 0)` };
  return db.select(totals).from(blobs).where(eq(blobs.blogId, id)).get() ?? { files: 0, bytes: 0 };
}

export function storePlaceholder({ db }: Platen, { id }: StoredBlob, placeholder: string): void {
  db.update(blobs).set({ placeholder }).where(eq(blobs.id, id)).run();
}

/** `x` and `y` are percentages from the left and from the top. */
export function storeFocus(platen: Platen, { id }: StoredBlob, x: number, y: number): void {
  const focus = x === 50 && y === 50 ? "" : `${x}% ${y}%`;
  platen.db.update(blobs).set({ focus }).where(eq(blobs.id, id)).run();
}

export function placeholdersAndFocusOf({ db }: Platen, folders: string[]) {
  const { folder, placeholder, focus } = blobs;
  return db.select({ folder, placeholder, focus }).from(blobs).where(inArray(folder, folders)).all();
}
