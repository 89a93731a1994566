import { rm } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { blobs } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict } from "../errors";
import type { Platen } from "../platen";
import type { StoredBlob } from "./files/blobs";
import { mediaFolder } from "./files/media-folder";

/**
 * Deletes an upload: its row, then its files.
 * @param isUsed asked inside the transaction that deletes the row
 * @throws Refusal (conflict) where it is used
 */
export async function deleteBlob(platen: Platen, blob: StoredBlob, isUsed: () => boolean): Promise<void> {
  inTransaction(platen, () => {
    if (isUsed())
      throw conflict(
        "This file is shown by a post, or by a header, footer or custom CSS: take it out there first.",
      );
    platen.db.delete(blobs).where(eq(blobs.id, blob.id)).run();
  });
  await rm(mediaFolder(platen, blob.folder), { recursive: true, force: true });
}
