import { and, count, desc, eq, inArray, lt, sql } from "drizzle-orm";
import { countRows, findRowBy, findRowByColumn, findRows, updateRows } from "../../database/rows";
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

export function foldersOf(platen: Platen, files: Pick<StoredBlob, "id" | "folder">[]): Map<string, number> {
  const ids = files.map(({ id }) => id);
  const former = findRows(platen, formerMedia, inArray(formerMedia.blobId, ids));
  const current = files.map(({ id, folder }) => ({ folder, blobId: id }));
  return new Map([...former, ...current].map(({ folder, blobId }) => [folder, blobId]));
}

export function isFilenameTaken(platen: Platen, blogId: number, filename: string): boolean {
  return named(platen, { blogId, filename }) !== undefined;
}

export function countBlobs(platen: Platen, blogId: number): number {
  return countRows(platen, blobs, { blogId });
}

/** Newest first. @param before lists only blobs with a lower id */
export function recentBlobs(
  platen: Platen,
  blogId: number,
  page: { limit: number; offset: number; filename?: string; before?: number },
): StoredBlob[] {
  const { limit, offset, filename = "", before } = page;
  const isFound = and(
    eq(blobs.blogId, blogId),
    filename === "" ? undefined : sql`instr(lower(${blobs.filename}), lower(${filename})) > 0`,
    before === undefined ? undefined : lt(blobs.id, before),
  );
  return findRows(platen, blobs, isFound, { orderBy: desc(blobs.id), limit, offset });
}

export function mediaTotalsOf({ db }: Platen, { id }: { id: number }): { files: number; bytes: number } {
  const totals = { files: count(), bytes: sql<number>`coalesce(sum(${blobs.byteSize}), 0)` };
  return db.select(totals).from(blobs).where(eq(blobs.blogId, id)).get() ?? { files: 0, bytes: 0 };
}

export function storePlaceholder(platen: Platen, { id }: StoredBlob, placeholder: string): void {
  updateRows(platen, blobs, { id }, { placeholder });
}

/** `x` and `y` are percentages from the left and from the top. */
export function storeFocus(platen: Platen, { id }: StoredBlob, x: number, y: number): void {
  const focus = x === 50 && y === 50 ? "" : `${x}% ${y}%`;
  updateRows(platen, blobs, { id }, { focus });
}

export function placeholdersAndFocusOf(platen: Platen, folders: string[]) {
  const isListed = inArray(blobs.folder, folders);
  return findRows(platen, blobs, isListed, { columns: ["folder", "placeholder", "focus"] });
}
