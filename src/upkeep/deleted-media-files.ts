import { rm } from "node:fs/promises";
import { HOUR, MINUTE } from "../config/units";
import { keepDataVersion } from "../database/change-counter";
import { waitForLock } from "../database/lock-waits";
import { inUnsyncedTransaction } from "../database/transactions";
import { clearDeletedFolders, foldersToDelete } from "../media/deleting-media";
import { mediaFolder } from "../media/files/media-folder";
import type { Platen } from "../platen";
import { freeDiskBytes, RESERVE_BYTES } from "../runtime/disk-space";
import { startSync } from "../runtime/files";
import { type RecurringTask, recurringTask } from "../runtime/recurring-task";
import { getDamage } from "./recovery/damaged-database";

/** Files are kept for longer than a plain copy of the folder may take (one hour). */
const KEEP_MS = 2 * HOUR;
const FOLDERS_PER_COMMIT = 50;
/** If less space is free, files are deleted at once. */
const NEARLY_FULL_BYTES = 10 * RESERVE_BYTES;

/** Deletes files of deleted and replaced uploads once no running copy of the folder can need them. */
export function deletedMediaFiles(
  platen: Platen,
  freeOnDisk = () => freeDiskBytes(platen.config.data),
): RecurringTask {
  return recurringTask(platen, {
    every: MINUTE,
    complaint: "Files of deleted uploads could not be deleted; this will be retried",
    async work(at, signal) {
      if (getDamage(platen)) return;
      const isNearlyFull = freeOnDisk() < NEARLY_FULL_BYTES;
      await deleteFolders(platen, new Date(isNearlyFull ? at : at - KEEP_MS), signal);
    },
  });
}

/** Deletes folders. A failed delete does not stop the others. @throws the last error */
async function deleteFolders(platen: Platen, deletedBefore: Date, signal: AbortSignal): Promise<void> {
  const folders = foldersToDelete(platen, deletedBefore);
  let lastError: unknown = null;
  for (let start = 0; start < folders.length; start += FOLDERS_PER_COMMIT) {
    const deleted: string[] = [];
    for (const folder of folders.slice(start, start + FOLDERS_PER_COMMIT)) {
      signal.throwIfAborted();
      try {
        await rm(mediaFolder(platen, folder), { recursive: true, force: true });
        deleted.push(folder);
      } catch (error) {
        lastError = error;
      }
    }
    await startSync(mediaFolder(platen));
    await waitForLock(platen);
    signal.throwIfAborted();
    inUnsyncedTransaction(platen, () => keepDataVersion(platen, () => clearDeletedFolders(platen, deleted)));
  }
  if (lastError) throw lastError;
}
