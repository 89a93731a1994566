import { eq, like, sql } from "drizzle-orm";
import { deleteSetting, getSetting, saveSetting } from "../../database/instance-settings";
import { unwantedObjects } from "../../database/schema";
import { waitForLock } from "../../database/transactions";
import { Bucket } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import type { StoredBlob } from "../files/blobs";

/** S3 setting. It is stored in the database, so that it moves with the data folder. */
interface MediaStore {
  /** S3 address: "s3://bucket/prefix". */
  address: string;
  /** Whether new uploads go to S3. false while files move back. */
  takesNew: boolean;
}

const NAME = "media_store";

/** Returns null if all uploads are local. */
export function mediaStore(platen: Platen): MediaStore | null {
  return JSON.parse(getSetting(platen, NAME) ?? "null");
}

export function setMediaStore(platen: Platen, store: MediaStore): void {
  saveSetting(platen, NAME, JSON.stringify(store));
}

export function forgetMediaStore(platen: Platen): void {
  deleteSetting(platen, NAME);
}

const buckets = new WeakMap<Platen["db"], Bucket>();

export function storeBucket(platen: Platen): Bucket | null {
  const store = mediaStore(platen);
  if (store === null) return null;
  const known = buckets.get(platen.db);
  if (known?.address === store.address) return known;
  const bucket = new Bucket(store.address);
  buckets.set(platen.db, bucket);
  return bucket;
}

/** Returns the object key: the path relative to the data folder. */
export function objectKey(folder: string, name: string): string {
  return `media/${folder}/${name}`;
}

/** Queues an upload's objects. They are deleted after the transaction. */
export function queueObjectDeletion(
  { db }: Platen,
  { folder, atStore }: Pick<StoredBlob, "folder" | "atStore">,
): void {
  for (const { name } of atStore ?? [])
    db.insert(unwantedObjects)
      .values({ path: objectKey(folder, name) })
      .onConflictDoNothing()
      .run();
}

/** Whether objects in this folder are queued for deletion. An object sent now could be deleted afterwards. */
export function isBeingDeleted({ db }: Platen, folder: string): boolean {
  const ofFolder = like(unwantedObjects.path, `${objectKey(folder, "")}%`);
  return db.select().from(unwantedObjects).where(ofFolder).limit(1).get() !== undefined;
}

export function queuedKeys({ db }: Platen): string[] {
  const rows = db.select().from(unwantedObjects).all();
  return rows.map(({ path }) => path);
}

export function countQueuedDeletions({ db }: Platen): number {
  return db.select({ n: sql<number>`count(*)` }).from(unwantedObjects).get()?.n ?? 0;
}

/** Deletes queued objects. The row is deleted last, so that a crash only repeats the deletion. */
export async function deleteQueuedObjects(
  platen: Platen,
  bucket: Bucket,
  signal?: AbortSignal,
): Promise<void> {
  const { db } = platen;
  for (const path of queuedKeys(platen)) {
    await bucket.delete(path);
    signal?.throwIfAborted();
    await waitForLock(platen);
    signal?.throwIfAborted();
    db.delete(unwantedObjects).where(eq(unwantedObjects.path, path)).run();
  }
}
