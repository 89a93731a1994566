import { rmSync } from "node:fs";
import { HOUR } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { inUnsyncedTransaction } from "../database/transactions";
import { clearDeletedFolders, foldersToDelete } from "../media/deleting-media";
import { mediaFolder } from "../media/files/media-folder";
import type { Platen } from "../platen";
import { freeDiskBytes, RESERVE_BYTES } from "../runtime/disk-space";

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
  const folders = foldersToDelete(platen, new Date(platen.now().getTime() - keepMs)).slice(0, MAX_FOLDERS);
  const deleted: string[] = [];
  let lastError: unknown = null;
  for (const folder of folders)
    try {
      rmSync(mediaFolder(platen, folder), { recursive: true, force: true });
      deleted.push(folder);
    } catch (error) {
      lastError = error;
    }
  if (deleted.length > 0)
    inUnsyncedTransaction(platen, () => keepDataVersion(platen, () => clearDeletedFolders(platen, deleted)));
  if (lastError) throw lastError;
  return folders.length === MAX_FOLDERS;
}
