import { rm } from "node:fs/promises";
import { HOUR, MINUTE } from "../config/units";
import { keepDataVersion } from "../database/data-version";
import { inUnsyncedTransaction, waitForLock } from "../database/transactions";
import { clearDeletedFolders, foldersToDelete } from "../media/deleting-media";
import { mediaFolder } from "../media/files/media-folder";
import type { Platen } from "../platen";
import { freeDiskBytes, RESERVE_BYTES } from "../runtime/disk-space";
import { startSync } from "../runtime/files";
import { type RecurringTask, recurringTask } from "../runtime/recurring-task";
import { getDamage } from "./recovery/damaged-database";

/** A plain copy of the folder takes an hour at most. */
const KEPT_FOR = 2 * HOUR;
const LOOKED_EVERY = MINUTE;
/** Uploads whose notes go together. */
const AT_ONCE = 50;
/** Where less of the disk is free, in bytes, room is worth more than a copy that is being made. */
const NEARLY_FULL = 10 * RESERVE_BYTES;

/**
 * Deletes the files of deleted and replaced uploads once no copy of the folder can need them, which began before they were
 * deleted; on a disk that is nearly full at once. Killed in between, it goes on. `step` is to be called every few seconds.
 */
export function deletedMediaFiles(
  platen: Platen,
  freeOnDisk = () => freeDiskBytes(platen.config.data),
): RecurringTask {
  return recurringTask(platen, {
    every: LOOKED_EVERY,
    complaint: "Files of deleted uploads could not be deleted, which is tried again",
    async work(at, signal) {
      if (getDamage(platen)) return;
      const isNearlyFull = freeOnDisk() < NEARLY_FULL;
      await deleteSince(platen, new Date(isNearlyFull ? at : at - KEPT_FOR), signal);
    },
  });
}

/** One that cannot be deleted keeps none of the others. @throws why the last such could not */
async function deleteSince(platen: Platen, since: Date, signal: AbortSignal): Promise<void> {
  const waiting = foldersToDelete(platen, since);
  let fault: unknown = null;
  for (let first = 0; first < waiting.length; first += AT_ONCE) {
    const gone: string[] = [];
    for (const folder of waiting.slice(first, first + AT_ONCE)) {
      signal.throwIfAborted();
      try {
        await rm(mediaFolder(platen, folder), { recursive: true, force: true });
        gone.push(folder);
      } catch (reason) {
        fault = reason;
      }
    }
    await startSync(mediaFolder(platen));
    await waitForLock(platen);
    signal.throwIfAborted();
    inUnsyncedTransaction(platen, () => keepDataVersion(platen, () => clearDeletedFolders(platen, gone)));
  }
  if (fault) throw fault;
}
