import { MINUTE } from "../../config/units";
import { asDatabaseLocked, Refusal } from "../../errors";
import { StoreError } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { countQueuedDeletions, deleteQueuedObjects, mediaStore, storeBucket } from "../store/media-store";
import { countByPlace, isAnyInFolder, sendNewMedia } from "./moving-all-files";

const RETRY_DELAY_MS = MINUTE;

const lastErrors = new WeakMap<Platen["db"], string>();

export function storeLoop(platen: Platen) {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let notBefore = 0;

  const work = async () => {
    const { signal } = stopping;
    try {
      const bucket = storeBucket(platen);
      if (!bucket) return;
      await deleteQueuedObjects(platen, bucket, signal);
      if (!mediaStore(platen)?.takesNew) return;
      const { errors } = await sendNewMedia(platen, bucket, signal);
      signal.throwIfAborted();
      report(errors[0] ?? null);
    } catch (error) {
      // For example, another process holds the lock. The next step tries again.
      if (signal.aborted || asDatabaseLocked(error) || (error instanceof Refusal && error.kind === "busy"))
        return;
      report(error instanceof StoreError ? error.message : String(error));
    }
  };
  const report = (error: string | null) => {
    if (error === null) lastErrors.delete(platen.db);
    else {
      notBefore = platen.now().getTime() + RETRY_DELAY_MS;
      if (lastErrors.get(platen.db) !== error) platen.log(`Media cannot be moved to S3: ${error}`);
      lastErrors.set(platen.db, error);
    }
  };
  return {
    /**
     * @returns time of the next call in milliseconds since 1970; a write to the database causes an earlier
     * call
     */
    step(): number {
      if (running !== null || platen.now().getTime() < notBefore) return notBefore;
      const store = mediaStore(platen);
      const hasWork =
        store && (countQueuedDeletions(platen) > 0 || (store.takesNew && isAnyInFolder(platen)));
      if (!hasWork || stopping.signal.aborted) return Number.POSITIVE_INFINITY;
      running = work().finally(() => {
        running = null;
      });
      return notBefore;
    },
    settled: async () => void (await running),
    stop: () => stopping.abort(),
  };
}

export function storeStatus(platen: Platen): string[] {
  const store = mediaStore(platen);
  if (!store) return [];
  const { inFolder, atStore } = countByPlace(platen);
  const unwanted = countQueuedDeletions(platen);
  const error = lastErrors.get(platen.db);
  return [
    `media: ${atStore} at ${store.address}, ${inFolder} in the folder`,
    ...(unwanted > 0 ? [`media to be deleted at the store: ${unwanted}`] : []),
    ...(error === undefined ? [] : [`media wait: ${error}`]),
  ];
}
