import { asc, eq, inArray, lte } from "drizzle-orm";
import { blobs, deletedMedia } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import type { StoredBlob } from "./files/blobs";
import { queueObjectDeletion } from "./store/media-store";

/** @param selectBlobs runs in the transaction */
export function deleteBlobs(platen: Platen, selectBlobs: () => StoredBlob[]): StoredBlob[] {
  return inTransaction(platen, () => {
    const selected = selectBlobs();
    for (const { id } of selected) {
      // The file may have moved to S3 since the row was read.
      const [deleted] = platen.db.delete(blobs).where(eq(blobs.id, id)).returning().all();
      if (deleted) queueObjectDeletion(platen, deleted);
      if (deleted) queueFolderDeletion(platen, deleted.folder);
    }
    return selected;
  });
}

/** Call this in the transaction that deletes the row. A backup may still be copying the files. */
export function queueFolderDeletion(platen: Platen, folder: string): void {
  platen.db.insert(deletedMedia).values({ folder, deletedAt: platen.now() }).onConflictDoNothing().run();
}

export function isToBeDeleted({ db }: Pick<Platen, "db">, folder: string): boolean {
  const found = db.select().from(deletedMedia).where(eq(deletedMedia.folder, folder));
  return knowsDeletedMedia({ db }) && found.get() !== undefined;
}

/** `platen check` may read a database with an older schema. */
function knowsDeletedMedia({ db }: Pick<Platen, "db">): boolean {
  return db.$client.query("SELECT 1 FROM pragma_table_info('deleted_media')").get() !== null;
}

export function foldersToDelete({ db }: Platen, since: Date): string[] {
  const isDue = lte(deletedMedia.deletedAt, since);
  const rows = db.select().from(deletedMedia).where(isDue).orderBy(asc(deletedMedia.deletedAt)).all();
  return rows.map(({ folder }) => folder);
}

/** Call this after the folders were deleted. */
export function clearDeletedFolders({ db }: Platen, folders: string[]): void {
  db.delete(deletedMedia).where(inArray(deletedMedia.folder, folders)).run();
}
