import { existsSync, mkdirSync } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { basename } from "node:path";
import { keepDataVersion } from "../database/change-counter";
import { updateRows } from "../database/rows";
import { blobs } from "../database/schema";
import type { StoredFile } from "../database/tables/media-tables";
import { inSharedTransaction, inTransaction, waitForLock } from "../database/transactions";
import type { Bucket } from "../outgoing/bucket";
import type { Platen } from "../platen";
import { chownToFolderOwner, syncPath } from "../runtime/files";
import { blobWithId, isAtStore, isCurrent, type StoredBlob } from "./files/blobs";
import { contentTypeOf } from "./files/file-formats-and-limits";
import {
  hashFile,
  incomingFolder,
  makeIncomingFolder,
  measureStream,
  mediaFolder,
  newFolderName,
} from "./files/media-folder";
import {
  fetchStoredFile,
  isBeingDeleted,
  mediaStore,
  objectKey,
  queueObjectDeletion,
  verifyAtStore,
} from "./files/media-store";
import { ensureRenditions } from "./renditions";

export class MoveError extends Error {}

/**
 * Renditions stay in the data folder. Other local files are deleted only after the copy is verified, so the
 * move can be repeated after a crash.
 * @returns whether the upload is in S3 now
 * @throws MoveError if the file is missing or damaged; StoreError
 */
export async function sendToStore(platen: Platen, bucket: Bucket, blob: StoredBlob, signal?: AbortSignal) {
  if (isBeingDeleted(platen, blob.folder)) return false;
  const sent: StoredFile[] = [];
  try {
    const files = await copyToStore(platen, bucket, blob, { signal, sent });
    await waitForLock(platen);
    signal?.throwIfAborted();
    const outcome = inTransaction(platen, () => markAtStore(platen, bucket, blob, files));
    if (outcome === "moved") await removeLocalFiles(platen, { ...blob, atStore: files });
    if (outcome === "left") for (const { name } of files) await bucket.delete(objectKey(blob.folder, name));
    return outcome === "moved";
  } catch (error) {
    signal?.throwIfAborted();
    if (isAtStore(platen, blob)) return true;
    // The upload was deleted or replaced during the transfer, so the error does not matter.
    if (isCurrent(platen, blob)) throw error;
    await inSharedTransaction(platen, () => queueObjectDeletion(platen, { ...blob, atStore: sent }));
    return false;
  }
}

/** @param sent gets the files that are being sent, also if this function fails */
async function copyToStore(
  platen: Platen,
  bucket: Bucket,
  blob: StoredBlob,
  { signal, sent }: { signal?: AbortSignal; sent: StoredFile[] },
): Promise<StoredFile[]> {
  if (!existsSync(mediaFolder(platen, blob.folder, blob.filename)))
    return await listStoredFiles(bucket, blob);
  // Later, making renditions would need a download.
  await ensureRenditions(platen, blob);
  for (const file of await listLocalFiles(platen, blob)) {
    signal?.throwIfAborted();
    sent.push(file);
    const source = Bun.file(mediaFolder(platen, blob.folder, file.name));
    await bucket.write(objectKey(blob.folder, file.name), source, contentTypeOf(file.name));
    await verifyAtStore(bucket, blob.folder, file);
  }
  return sent;
}

export async function removeLocalFiles(
  platen: Platen,
  { folder, atStore }: Pick<StoredBlob, "folder" | "atStore">,
): Promise<void> {
  for (const { name } of atStore ?? []) await rm(mediaFolder(platen, folder, name), { force: true });
}

async function listLocalFiles(platen: Platen, { folder, filename, sha256 }: StoredBlob) {
  const entries = await readdir(mediaFolder(platen, folder), { withFileTypes: true });
  const files: StoredFile[] = [];
  for (const { name } of entries.filter((entry) => entry.isFile())) {
    const path = mediaFolder(platen, folder, name);
    const { size, mtimeMs } = await stat(path);
    files.push({ name, size, sha256: await hashFile(path), modified: Math.floor(mtimeMs) });
  }
  if (files.find(({ name }) => name === filename)?.sha256 !== sha256)
    throw new MoveError(`media/${folder}/${filename} is not what was stored.`);
  return files;
}

/** A restored database may be older than the move, and so does not list the files in S3. */
async function listStoredFiles(bucket: Bucket, blob: StoredBlob): Promise<StoredFile[]> {
  const { folder, filename, createdAt } = blob;
  const missing = new MoveError(`media/${folder}/${filename} is missing.`);
  const keys = [...(await bucket.list(objectKey(folder, ""))).keys()];
  if (!keys.includes(objectKey(folder, filename))) throw missing;
  const files: StoredFile[] = [];
  for (const key of keys) {
    const found = await measureStream(bucket.bytes(key));
    files.push({ name: basename(key), ...found, modified: createdAt.getTime() });
  }
  if (files.find(({ name }) => name === filename)?.sha256 !== blob.sha256) throw missing;
  return files;
}

/**
 * @returns "unwanted" if the upload was deleted or replaced, or media move back; "left" if the bucket is no
 * longer in use
 */
function markAtStore(platen: Platen, bucket: Bucket, blob: StoredBlob, files: StoredFile[]) {
  const { id, folder } = blob;
  const store = mediaStore(platen);
  if (store?.address !== bucket.address) return "left";
  if (isAtStore(platen, blob)) return "moved";
  if (!isCurrent(platen, blob) || !store.takesNew) {
    queueObjectDeletion(platen, { folder, atStore: files });
    return "unwanted";
  }
  keepDataVersion(platen, () => updateRows(platen, blobs, { id }, { atStore: files }));
  return "moved";
}

/**
 * Objects in S3 are deleted only after the local files are verified, so the move can be repeated after a
 * crash.
 * @throws StoreError; Refusal if the disk is full
 */
export async function fetchFromStore(platen: Platen, blob: StoredBlob): Promise<void> {
  const folder = mediaFolder(platen, blob.folder);
  if (!blob.atStore) return;
  try {
    await makeIncomingFolder(platen);
    const isNew = !existsSync(folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const file of blob.atStore) await fetchOne(platen, blob.folder, file);
    chownToFolderOwner(platen.config.data, folder);
    syncPath(folder);
    if (isNew) syncPath(mediaFolder(platen));
    await inSharedTransaction(platen, () => {
      const found = blobWithId(platen, blob.id);
      if (found?.folder !== blob.folder) return;
      queueObjectDeletion(platen, found);
      updateRows(platen, blobs, { id: blob.id }, { atStore: null });
    });
  } catch (error) {
    if (isCurrent(platen, blob)) throw error;
  }
  // The upload was deleted or replaced during the transfer, so an error does not matter.
  if (!isCurrent(platen, blob)) await rm(folder, { recursive: true, force: true });
}

async function fetchOne(platen: Platen, folder: string, file: StoredFile): Promise<void> {
  const path = mediaFolder(platen, folder, file.name);
  if (existsSync(path) && (await hashFile(path)) === file.sha256) return;
  const arrived = incomingFolder(platen, newFolderName());
  await fetchStoredFile(platen, folder, file, arrived);
  await rename(arrived, path);
}
