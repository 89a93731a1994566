import { rm } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { blobs } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { blobWithId, type StoredBlob } from "./files/blobs";
import { mediaFolder } from "./files/media-folder";
import { noteUnwanted } from "./store/unwanted-objects";

/**
 * Deletes uploads: their rows, then their files; those at the store when that can be reached.
 * @param chosen asked inside the transaction that deletes the rows
 * @returns what it was
 */
export async function deleteBlobs(platen: Platen, chosen: () => StoredBlob[]): Promise<StoredBlob[]> {
  const gone = inTransaction(platen, () => {
    const found = chosen();
    for (const { id } of found) {
      // As it is now: it may have been moved since it was read.
      const now = blobWithId(platen, id);
      if (now) noteUnwanted(platen, now);
      platen.db.delete(blobs).where(eq(blobs.id, id)).run();
    }
    return found;
  });
  for (const { folder } of gone) await rm(mediaFolder(platen, folder), { recursive: true, force: true });
  return gone;
}
