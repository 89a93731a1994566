import { eq } from "drizzle-orm";
import { blobs } from "../database/schema";
import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import { blobWithId, type StoredBlob } from "./files/blobs";
import { noteDeleted } from "./files/deleted-media";
import { noteUnwanted } from "./store/unwanted-objects";

/**
 * Deletes uploads: their rows at once, and with them their addresses; their files once no copy that is being made can
 * need them, those at the store when that can be reached.
 * @param chosen asked inside the transaction that deletes the rows
 * @returns what it was
 */
export function deleteBlobs(platen: Platen, chosen: () => StoredBlob[]): StoredBlob[] {
  return inTransaction(platen, () => {
    const found = chosen();
    for (const { id } of found) {
      // As it is now: it may have been moved since it was read.
      const now = blobWithId(platen, id);
      if (now) noteUnwanted(platen, now);
      if (now) noteDeleted(platen, now.folder);
      platen.db.delete(blobs).where(eq(blobs.id, id)).run();
    }
    return found;
  });
}
