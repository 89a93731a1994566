import { asc, eq, inArray, lte } from "drizzle-orm";
import { blobs, deletedMedia } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { blobWithId, type StoredBlob } from "./files/blobs";
import { queueObjectDeletion } from "./store/unwanted-objects";

/**
 * Deletes uploads: rows at once, files later, so that a running backup finds them.
 * @param choose runs in the transaction
 * @returns the deleted files
 */
export function deleteBlobs(platen: Platen, chosen: () => StoredBlob[]): StoredBlob[] {
  return inTransaction(platen, () => {
    const found = chosen();
    for (const { id } of found) {
      // The file may have moved to S3 since it was read.
      const now = blobWithId(platen, id);
      if (now) queueObjectDeletion(platen, now);
      if (now) queueFolderDeletion(platen, now.folder);
      platen.db.delete(blobs).where(eq(blobs.id, id)).run();
    }
    return found;
  });
}

/**
 * Deletes an upload's folder later: a running backup may have the row but not yet the files. In the transaction that
 * removes the row.
 */
export function queueFolderDeletion(platen: Platen, folder: string): void {
  platen.db.insert(deletedMedia).values({ folder, deletedAt: platen.now() }).onConflictDoNothing().run();
}

/** Whether the folder is queued for deletion. */
export function isToBeDeleted({ db }: Pick<Platen, "db">, folder: string): boolean {
  const found = db.select().from(deletedMedia).where(eq(deletedMedia.folder, folder));
  return knowsDeletedMedia({ db }) && found.get() !== undefined;
}

/** A checked database may be of an older version. */
function knowsDeletedMedia({ db }: Pick<Platen, "db">): boolean {
  return db.$client.query("SELECT 1 FROM pragma_table_info('deleted_media')").get() !== null;
}

/** Folders queued before this time, oldest first. */
export function foldersToDelete({ db }: Platen, since: Date): string[] {
  const rows = db
    .select({ folder: deletedMedia.folder })
    .from(deletedMedia)
    .where(lte(deletedMedia.deletedAt, since))
    .orderBy(asc(deletedMedia.deletedAt))
    .all();
  return rows.map(({ folder }) => folder);
}

/** Call after the folders are gone. */
export function clearDeletedFolders({ db }: Platen, folders: string[]): void {
  db.delete(deletedMedia).where(inArray(deletedMedia.folder, folders)).run();
}
