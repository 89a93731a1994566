import { rm } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { blobs } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict } from "../errors";
import type { Platen } from "../platen";
import { blobWithId, type StoredBlob } from "./files/blobs";
import { mediaFolder } from "./files/media-folder";
import { noteUnwanted } from "./store/unwanted-objects";

/**
 * Deletes an upload: its row, then its files; those at the store when that can be reached.
 * @param isUsed asked inside the transaction that deletes the row
 * @throws Refusal (conflict) where it is used
 */
export async function deleteBlob(platen: Platen, blob: StoredBlob, isUsed: () => boolean): Promise<void> {
  await deleteBlobs(platen, () => {
    if (isUsed())
      throw conflict(
        "This file is shown by a post or an older version of one, or by a header, footer or custom CSS: take it out there first.",
      );
    return [blob];
  });
}

/** The same with many. @param chosen asked inside the transaction that deletes the rows @returns what it was */
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
