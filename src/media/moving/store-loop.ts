import { MINUTE } from "../../config/units";
import { asDatabaseLocked, Refusal } from "../../errors";
import { StoreFault } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { mediaStore, storeBucket } from "../store/media-store";
import { countQueuedDeletions, deleteQueuedObjects } from "../store/unwanted-objects";
import { countByPlace, isAnyInFolder, sendNewMedia } from "./moving-all-files";

/** After the store could not be used, or an upload not be moved. */
const TRIED_AGAIN_AFTER = MINUTE;

interface StoreLoop {
  /**
   * Begins where something waits.
   * @returns when it is to be called again though nothing is written, in milliseconds since 1970
   */
  step(): number;
  /** Once nothing is under way. */
  settled(): Promise<void>;
  /** Begins nothing more; what is under way touches the database no more. */
  stop(): void;
}

/** Platen → why the store could not be used the last time. */
const faults = new WeakMap<Platen["db"], string>();

/** Moves what was uploaded to the store where media go there, and deletes there what was deleted here. */
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
      // Another process writes, a move for example: the next step tries again.
      if (signal.aborted || asDatabaseLocked(fault) || (fault instanceof Refusal && fault.kind === "busy"))
        return;
      tell(fault instanceof StoreFault ? fault.message : String(fault));
    }
  };
  const tell = (fault: string | null) => {
    if (fault === null) faults.delete(platen.db);
    else {
      notBefore = platen.now().getTime() + TRIED_AGAIN_AFTER;
      if (faults.get(platen.db) !== fault) platen.log(`Media wait to be moved to the store: ${fault}`);
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

/** Where uploads are, in lines for the operator: `name: what`. */
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
