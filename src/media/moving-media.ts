import { isNotNull, type SQL } from "drizzle-orm";
import { MEGABYTE, MINUTE } from "../config/units";
import { isMediaMoveRunning, lockForMediaMove } from "../database/folder-locks";
import { countRows, findRows, findValues, hasRow } from "../database/rows";
import { blobs } from "../database/schema";
import { asDatabaseLocked, conflict, Refusal } from "../errors";
import { Bucket, DamagedObject, MissingObject, StoreError, TransferInterrupted } from "../outgoing/bucket";
import type { Platen } from "../platen";
import { freeDiskBytes, RESERVE_BYTES } from "../runtime/disk-space";
import { blobWithId, type StoredBlob } from "./files/blobs";
import {
  countQueuedDeletions,
  deleteQueuedObjects,
  forgetMediaStore,
  mediaStore,
  setMediaStore,
  storeBucket,
} from "./files/media-store";
import { fetchFromStore, MoveError, removeLocalFiles, sendToStore } from "./moving-one-file";

const MAX_PARALLEL_TRANSFERS = 4;
const MAX_CONSECUTIVE_ABORTS = 8;
const SINGLE_UPLOAD_ERRORS = [MoveError, MissingObject, DamagedObject, TransferInterrupted];

const IN_FOLDER = { atStore: null };

type Progress = (done: number, all: number) => void;

export interface MoveResult {
  files: number;
  bytes: number;
  errors: string[];
}

function countByPlace(platen: Platen): { inFolder: number; atStore: number } {
  const inFolder = countRows(platen, blobs, IN_FOLDER);
  return { inFolder, atStore: countRows(platen, blobs) - inFolder };
}

/**
 * New uploads go to S3 too. The move can be repeated after an interruption.
 * @throws Refusal (conflict) if another bucket is in use; DatabaseError if another process moves files;
 * StoreError
 */
export async function moveMediaToStore(platen: Platen, address: string, progress: Progress) {
  lockForMediaMove(platen.config.data);
  const store = mediaStore(platen);
  if (store && store.address !== address && countByPlace(platen).atStore + countQueuedDeletions(platen) > 0)
    throw conflict(`Media are at ${store.address}. Move them back first with --to folder.`);
  // Fails for an unknown bucket before the setting changes.
  await new Bucket(address).list("media/");
  setMediaStore(platen, { address, takesNew: true });
  const bucket = storeBucket(platen) as Bucket;
  await deleteQueuedObjects(platen, bucket);
  const sent = findRows(platen, blobs, isNotNull(blobs.atStore), { columns: ["folder", "atStore"] });
  for (const blob of sent) await removeLocalFiles(platen, blob);
  return await moveEach(platen, IN_FOLDER, (blob) => sendToStore(platen, bucket, blob), progress);
}

async function sendNewMedia(platen: Platen, bucket: Bucket, signal: AbortSignal): Promise<MoveResult> {
  return await moveEach(platen, IN_FOLDER, async (blob) => {
    signal.throwIfAborted();
    return !isMediaMoveRunning(platen.config.data) && (await sendToStore(platen, bucket, blob, signal));
  });
}

/**
 * New uploads stay in the data folder. The move can be repeated after an interruption.
 * @throws Refusal (conflict) if the disk is too small; DatabaseError if another process moves files;
 * StoreError
 */
export async function moveMediaToFolder(platen: Platen, progress: Progress): Promise<MoveResult> {
  const store = mediaStore(platen);
  const bucket = storeBucket(platen);
  if (!store || !bucket) return { files: 0, bytes: 0, errors: [] };
  lockForMediaMove(platen.config.data);
  setMediaStore(platen, { ...store, takesNew: false });
  assertEnoughDiskSpace(platen);
  const fetch = (blob: StoredBlob) => fetchFromStore(platen, blob).then(() => true);
  const moved = await moveEach(platen, isNotNull(blobs.atStore), fetch, progress);
  await deleteQueuedObjects(platen, bucket);
  if (countByPlace(platen).atStore === 0) forgetMediaStore(platen);
  return moved;
}

/** A failed upload does not stop the others. Other errors, or many interruptions in a row, do. */
async function moveEach(
  platen: Platen,
  where: SQL | typeof IN_FOLDER,
  move: (blob: StoredBlob) => Promise<boolean>,
  progress: Progress = () => {},
): Promise<MoveResult> {
  const moved: MoveResult = { files: 0, bytes: 0, errors: [] };
  const ids = findValues(platen, blobs, "id", where, { orderBy: blobs.id });
  const queue = ids.values();
  let done = 0;
  let aborts = 0;
  let hasStopped = false;
  const work = async () => {
    for (const id of queue) {
      if (hasStopped) return;
      progress(done++, ids.length);
      const blob = blobWithId(platen, id);
      try {
        if (!blob || !(await move(blob))) continue;
        moved.files++;
        moved.bytes += blob.byteSize;
        aborts = 0;
      } catch (error) {
        if (error instanceof TransferInterrupted) aborts++;
        const isSingleUpload = SINGLE_UPLOAD_ERRORS.some((kind) => error instanceof kind);
        hasStopped = !isSingleUpload || aborts >= MAX_CONSECUTIVE_ABORTS;
        if (hasStopped) throw error;
        moved.errors.push((error as Error).message);
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: MAX_PARALLEL_TRANSFERS }, work));
  progress(ids.length, ids.length);
  const failed = results.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return moved;
}

function assertEnoughDiskSpace(platen: Platen): void {
  const stored = findValues(platen, blobs, "atStore", isNotNull(blobs.atStore));
  const bytes = stored.flat().reduce((sum, file) => sum + (file?.size ?? 0), 0);
  const free = freeDiskBytes(platen.config.data) - RESERVE_BYTES;
  if (bytes <= free) return;
  const megabytes = (size: number) => `${Math.ceil(size / MEGABYTE)} MB`;
  throw conflict(`Moving media back needs ${megabytes(bytes)}, but only ${megabytes(free)} are free.`);
}

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
        store && (countQueuedDeletions(platen) > 0 || (store.takesNew && hasRow(platen, blobs, IN_FOLDER)));
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
