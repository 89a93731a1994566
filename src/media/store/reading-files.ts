import { existsSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import type { StoredFile } from "../../database/tables/media-tables";
import { type Bucket, DamagedObject, StoreFault } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import { assertDiskSpace } from "../../runtime/disk-space";
import { blobInFolder, type StoredBlob } from "../files/blobs";
import { incomingFolder, mediaFolder, newFolderName, writeFully } from "../files/media-folder";
import { objectKey, storeBucket } from "./media-store";

/**
 * The path of one of an upload's files, which is fetched first where it is at the store.
 * @param copy where a fetched one is to lie: that is the caller's to take away
 * @throws StoreFault; where it is missing in the folder, whoever opens it is told
 */
export async function localFile(
  platen: Platen,
  { folder }: Pick<StoredBlob, "folder">,
  name: string,
  copy: string,
): Promise<string> {
  const path = mediaFolder(platen, folder, name);
  const stored = existsSync(path) ? undefined : storedFile(platen, folder, name);
  if (!stored) return path;
  await fetchStoredFile(platen, folder, stored, copy);
  return copy;
}

/**
 * What one of an upload's files holds; one that is at the store was compared with what was sent there.
 * @throws StoreFault, and what the system says where it is missing; both before anything is read
 */
export async function fileBytes(
  platen: Platen,
  blob: Pick<StoredBlob, "folder">,
  name: string,
): Promise<AsyncIterable<Uint8Array>> {
  const own = mediaFolder(platen, blob.folder, name);
  await mkdir(incomingFolder(platen), { recursive: true });
  const path = await localFile(platen, blob, name, incomingFolder(platen, newFolderName()));
  await (await open(path)).close();
  const stream = Bun.file(path).stream();
  return path === own ? stream : thenRemoved(stream, path);
}

async function* thenRemoved(bytes: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } finally {
    await rm(path, { force: true });
  }
}

/** What is known of a file that is at the store; undefined where it is not there. */
function storedFile(platen: Platen, folder: string, name: string): StoredFile | undefined {
  const blob = blobInFolder(platen, folder);
  // It may be what has taken the place of the file that was in this folder.
  if (blob?.folder !== folder) return undefined;
  return blob.atStore?.find((file) => file.name === name);
}

/**
 * Writes a file of the store to a path where nothing is, whole and on the disk, or not at all.
 * @throws StoreFault, DamagedObject where it is not what was sent there
 */
export async function fetchStoredFile(
  platen: Platen,
  folder: string,
  stored: StoredFile,
  path: string,
): Promise<void> {
  const bucket = storeBucket(platen);
  if (!bucket) throw new StoreFault(`No store is known that has media/${folder}/${stored.name}.`);
  assertDiskSpace(platen);
  const file = await open(path, "wx");
  try {
    const bytes = bucket.bytes(objectKey(folder, stored.name));
    demandSame(bucket, folder, stored, await measureStream(bytes, (chunk) => writeFully(file, chunk)));
    await file.utimes(stored.modified / 1000, stored.modified / 1000);
    await file.sync();
  } catch (fault) {
    await rm(path, { force: true });
    throw fault;
  } finally {
    await file.close();
  }
}

/** Reads a file of the store. @throws DamagedObject where it is not what was sent there */
export async function verifyAtStore(bucket: Bucket, folder: string, stored: StoredFile): Promise<void> {
  demandSame(bucket, folder, stored, await measureStream(bucket.bytes(objectKey(folder, stored.name))));
}

type Measured = Pick<StoredFile, "size" | "sha256">;

/** @param pass what else is done with them */
export async function measureStream(
  bytes: AsyncIterable<Uint8Array>,
  pass: (chunk: Uint8Array) => Promise<void> | void = () => {},
): Promise<Measured> {
  const hash = new Bun.CryptoHasher("sha256");
  let size = 0;
  for await (const chunk of bytes) {
    hash.update(chunk);
    size += chunk.length;
    await pass(chunk);
  }
  return { size, sha256: hash.digest("hex") };
}

function demandSame(bucket: Bucket, folder: string, stored: StoredFile, arrived: Measured): void {
  if (arrived.size !== stored.size || arrived.sha256 !== stored.sha256)
    throw new DamagedObject(
      `${bucket.address} is damaged: ${objectKey(folder, stored.name)} is not what was sent there.`,
    );
}
