import { existsSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { like } from "drizzle-orm";
import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { countRows, deleteRows, findValues, hasRow, insertIfNew } from "../../database/rows";
import { unwantedObjects } from "../../database/schema";
import type { StoredFile } from "../../database/tables/media-tables";
import { waitForLock } from "../../database/transactions";
import { Bucket, DamagedObject, StoreError } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { assertDiskSpace } from "../../runtime/disk-space";
import { blobInFolder, type StoredBlob } from "./blobs";
import {
  incomingFolder,
  makeIncomingFolder,
  measureStream,
  mediaFolder,
  newFolderName,
  writeFully,
} from "./media-folder";

interface MediaStore {
  address: string;
  takesNew: boolean;
}

const NAME = "media_store";

export function mediaStore(platen: Platen): MediaStore | null {
  return JSON.parse(getSetting(platen, NAME) ?? "null");
}

export function setMediaStore(platen: Platen, store: MediaStore): void {
  saveSetting(platen, NAME, JSON.stringify(store));
}

export function forgetMediaStore(platen: Platen): void {
  deleteSetting(platen, NAME);
}

export function storeBucket(platen: Platen): Bucket | null {
  const store = mediaStore(platen);
  return store && new Bucket(store.address);
}

export function objectKey(folder: string, name: string): string {
  return `media/${folder}/${name}`;
}

export function queueObjectDeletion(
  platen: Platen,
  { folder, atStore }: Pick<StoredBlob, "folder" | "atStore">,
): void {
  for (const { name } of atStore ?? [])
    insertIfNew(platen, unwantedObjects, { path: objectKey(folder, name) });
}

/** Queued deletions would also delete new objects in this folder. */
export function isBeingDeleted(platen: Platen, folder: string): boolean {
  return hasRow(platen, unwantedObjects, like(unwantedObjects.path, `${objectKey(folder, "")}%`));
}

export function queuedKeys(platen: Platen): string[] {
  return findValues(platen, unwantedObjects, "path");
}

export function countQueuedDeletions(platen: Platen): number {
  return countRows(platen, unwantedObjects);
}

/** The row is deleted last, so that a crash only repeats the deletion. */
export async function deleteQueuedObjects(platen: Platen, bucket: Bucket, signal?: AbortSignal) {
  for (const path of queuedKeys(platen)) {
    await bucket.delete(path);
    signal?.throwIfAborted();
    await waitForLock(platen);
    signal?.throwIfAborted();
    deleteRows(platen, unwantedObjects, { path });
  }
}

/**
 * Fetches the file from S3 if needed.
 * @param copy path for a fetched file. The caller deletes the copy.
 * @throws StoreError; Refusal if the disk is full
 */
export async function localFile(
  platen: Platen,
  { folder }: Pick<StoredBlob, "folder">,
  name: string,
  copy: string,
): Promise<string> {
  const path = mediaFolder(platen, folder, name);
  const blob = existsSync(path) ? undefined : blobInFolder(platen, folder);
  // This folder may be the old one of a replaced file.
  const stored = blob?.folder === folder ? blob.atStore?.find((file) => file.name === name) : undefined;
  if (!stored) return path;
  await fetchStoredFile(platen, folder, stored, copy);
  return copy;
}

/** @throws before the first chunk if the file cannot be fetched or opened */
export async function fileBytes(platen: Platen, blob: Pick<StoredBlob, "folder">, name: string) {
  const localPath = mediaFolder(platen, blob.folder, name);
  await makeIncomingFolder(platen);
  const path = await localFile(platen, blob, name, incomingFolder(platen, newFolderName()));
  await (await open(path)).close();
  const stream = Bun.file(path).stream();
  return path === localPath ? stream : deleteAfterReading(stream, path);
}

async function* deleteAfterReading(bytes: AsyncIterable<Uint8Array>, path: string) {
  try {
    yield* bytes;
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * @param path must not exist yet; deleted on failure
 * @throws StoreError; Refusal if the disk is full
 */
export async function fetchStoredFile(platen: Platen, folder: string, stored: StoredFile, path: string) {
  const bucket = storeBucket(platen);
  if (!bucket)
    throw new StoreError(`media/${folder}/${stored.name} is in an object store, but none is set up.`);
  assertDiskSpace(platen);
  const file = await open(path, "wx");
  try {
    const bytes = bucket.bytes(objectKey(folder, stored.name));
    assertSameFile(bucket, folder, stored, await measureStream(bytes, (chunk) => writeFully(file, chunk)));
    await file.utimes(stored.modified / 1000, stored.modified / 1000);
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

export async function verifyAtStore(bucket: Bucket, folder: string, stored: StoredFile): Promise<void> {
  assertSameFile(bucket, folder, stored, await measureStream(bucket.bytes(objectKey(folder, stored.name))));
}

function assertSameFile(
  bucket: Bucket,
  folder: string,
  stored: StoredFile,
  arrived: Pick<StoredFile, "size" | "sha256">,
): void {
  if (arrived.size !== stored.size || arrived.sha256 !== stored.sha256)
    throw new DamagedObject(
      `${bucket.address} is damaged: ${objectKey(folder, stored.name)} is not what was sent there.`,
    );
}
