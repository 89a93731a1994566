import { eq, like, sql } from "drizzle-orm";
import { unwantedObjects } from "../../database/schema";
import { waitForLock } from "../../database/transactions";
import type { Bucket } from "../../outgoing/bucket";
import type { Platen } from "../../platen";
import type { StoredBlob } from "../files/blobs";
import { objectKey } from "./media-store";

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
