import { asc, eq, inArray, lte } from "drizzle-orm";
import { blobs, deletedMedia } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { blobWithId, type StoredBlob } from "./files/blobs";
import { queueObjectDeletion } from "./store/unwanted-objects";

/**
 * Deletes uploads: their rows at once, and with them their addresses; their files once no copy that is being made can
 * need them, those at the store when that can be reached.
 * @param chosen asked inside the transaction that deletes the rows
 * @returns what it was
 */
export function deleteBlobs(platen: Platen, chosen: () => StoredBlob[]): StoredBlob[] {
  return inTransaction(platen, () => {
    const found = chosen();
    for (const { id } of found) {
      // As it is now: it may have been moved since it was read.
      const now = blobWithId(platen, id);
      if (now) queueObjectDeletion(platen, now);
      if (now) queueFolderDeletion(platen, now.folder);
      platen.db.delete(blobs).where(eq(blobs.id, id)).run();
    }
    return found;
  });
}

/**
 * Has the folder of an upload deleted later: a copy of the data folder that is being made may have the row already, and
 * not the files yet. To be called in the transaction after which no row names the folder.
 */
export function queueFolderDeletion(platen: Platen, folder: string): void {
  platen.db.insert(deletedMedia).values({ folder, deletedAt: platen.now() }).onConflictDoNothing().run();
}

/** Whether it is there only until it is deleted. */
export function isToBeDeleted({ db }: Pick<Platen, "db">, folder: string): boolean {
  const found = db.select().from(deletedMedia).where(eq(deletedMedia.folder, folder));
  return knowsDeletedMedia({ db }) && found.get() !== undefined;
}

/** A database that is checked may be an older one. */
function knowsDeletedMedia({ db }: Pick<Platen, "db">): boolean {
  return db.$client.query("SELECT 1 FROM pragma_table_info('deleted_media')").get() !== null;
}

/** Folders that have been waiting since then or longer, the longest first. */
export function foldersToDelete({ db }: Platen, since: Date): string[] {
  const rows = db
    .select({ folder: deletedMedia.folder })
    .from(deletedMedia)
    .where(lte(deletedMedia.deletedAt, since))
    .orderBy(asc(deletedMedia.deletedAt))
    .all();
  return rows.map(({ folder }) => folder);
}

/** To be called once these folders are gone. */
export function clearDeletedFolders({ db }: Platen, folders: string[]): void {
  db.delete(deletedMedia).where(inArray(deletedMedia.folder, folders)).run();
}
