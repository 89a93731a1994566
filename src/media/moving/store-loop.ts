import { MINUTE } from "../../config/units";
import { asDatabaseLocked, Refusal } from "../../errors";
import { StoreFault } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { countQueuedDeletions, deleteQueuedObjects, mediaStore, storeBucket } from "../store/media-store";
import { countByPlace, isAnyInFolder, sendNewMedia } from "./moving-all-files";

const RETRY_DELAY_MS = MINUTE;

interface StoreLoop {
  /** Starts work if there is any. @returns time of the next call in milliseconds, unless a write comes first */
  step(): number;
  /** Resolves when no work is running. */
  settled(): Promise<void>;
  /** Aborts work, which then no longer uses the database. */
  stop(): void;
}

/** database → last error, for the status */
const faults = new WeakMap<Platen["db"], string>();

/** Creates the loop that sends new uploads to S3 and deletes queued objects there. */
export function storeLoop(platen: Platen): StoreLoop {
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
      const { faults: lasting } = await sendNewMedia(platen, bucket, signal);
      signal.throwIfAborted();
      tell(lasting[0] ?? null);
    } catch (fault) {
      // Another process holds the lock. The next step tries again.
      if (signal.aborted || asDatabaseLocked(fault) || (fault instanceof Refusal && fault.kind === "busy"))
        return;
      tell(fault instanceof StoreFault ? fault.message : String(fault));
    }
  };
  const tell = (fault: string | null) => {
    if (fault === null) faults.delete(platen.db);
    else {
      notBefore = platen.now().getTime() + RETRY_DELAY_MS;
      if (faults.get(platen.db) !== fault) platen.log(`Media cannot be moved to S3: ${fault}`);
      faults.set(platen.db, fault);
    }
  };
  return {
    step() {
      if (running !== null || platen.now().getTime() < notBefore) return notBefore;
      const store = mediaStore(platen);
      const waits = store && (countQueuedDeletions(platen) > 0 || (store.takesNew && isAnyInFolder(platen)));
      if (!waits || stopping.signal.aborted) return Number.POSITIVE_INFINITY;
      running = work().finally(() => {
        running = null;
      });
      return notBefore;
    },
    settled: async () => void (await running),
    stop: () => stopping.abort(),
  };
}

/** Status lines for the operator: `name: value`. */
export function storeStatus(platen: Platen): string[] {
  const store = mediaStore(platen);
  if (!store) return [];
  const { inFolder, atStore } = countByPlace(platen);
  const unwanted = countQueuedDeletions(platen);
  const fault = faults.get(platen.db);
  return [
    `media: ${atStore} at ${store.address}, ${inFolder} in the folder`,
    ...(unwanted > 0 ? [`media to be deleted at the store: ${unwanted}`] : []),
    ...(fault === undefined ? [] : [`media wait: ${fault}`]),
  ];
}
