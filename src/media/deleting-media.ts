import { rmSync } from "node:fs";
import { inArray, lte } from "drizzle-orm";
import { HOUR } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { deleteRow, deleteRows, findValues, hasRow, insertIfNew } from "../database/rows";
import { blobs, deletedMedia } from "../database/schema";
import { inTransaction, inUnsyncedTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { freeDiskBytes, RESERVE_BYTES } from "../runtime/disk-space";
import type { StoredBlob } from "./files/blobs";
import { mediaFolder } from "./files/media-folder";
import { queueObjectDeletion } from "./files/media-store";

/** @param selectBlobs runs in the transaction */
export function deleteBlobs(platen: Platen, selectBlobs: () => StoredBlob[]): StoredBlob[] {
  return inTransaction(platen, () => {
    const selected = selectBlobs();
    for (const { id } of selected) {
      // The file may have moved to S3 since the row was read.
      const deleted = deleteRow(platen, blobs, { id });
      if (deleted) queueObjectDeletion(platen, deleted);
      if (deleted) queueFolderDeletion(platen, deleted.folder);
    }
    return selected;
  });
}

/** Call this in the transaction that deletes the row. A backup may still be copying the files. */
export function queueFolderDeletion(platen: Platen, folder: string): void {
  insertIfNew(platen, deletedMedia, { folder, deletedAt: platen.now() });
}

export function isToBeDeleted(platen: Pick<Platen, "db">, folder: string): boolean {
  // `platen check` may read a database with an older schema.
  const table = platen.db.$client.query("SELECT 1 FROM pragma_table_info('deleted_media')").get();
  return table !== null && hasRow(platen, deletedMedia, { folder });
}

/** Longer than a plain copy of the folder may take (one hour). */
const KEEP_MS = 2 * HOUR;
/** Small, because deleting the files blocks the server. */
const MAX_FOLDERS = 10;
const NEARLY_FULL_BYTES = 10 * RESERVE_BYTES;

/**
 * A failed deletion does not stop the others.
 * @returns true if more may remain
 * @throws the last error
 */
export function deleteOldMediaFiles(platen: Platen, freeOnDisk = () => freeDiskBytes(platen.config.data)) {
  const keepMs = freeOnDisk() < NEARLY_FULL_BYTES ? 0 : KEEP_MS;
  const isDue = lte(deletedMedia.deletedAt, new Date(platen.now().getTime() - keepMs));
  const range = { orderBy: deletedMedia.deletedAt, limit: MAX_FOLDERS };
  const folders = findValues(platen, deletedMedia, "folder", isDue, range);
  const deleted: string[] = [];
  let lastError: unknown = null;
  for (const folder of folders)
    try {
      rmSync(mediaFolder(platen, folder), { recursive: true, force: true });
      deleted.push(folder);
    } catch (error) {
      lastError = error;
    }
  const clearQueue = () => deleteRows(platen, deletedMedia, inArray(deletedMedia.folder, deleted));
  if (deleted.length > 0) inUnsyncedTransaction(platen, () => keepDataVersion(platen, clearQueue));
  if (lastError) throw lastError;
  return folders.length === MAX_FOLDERS;
}
