import { eq, inArray } from "drizzle-orm";
import { blobs } from "../../database/schema";
import type { Platen } from "../../platen";
import type { StoredBlob } from "../files/blobs";

/** @param placeholder a `data:` URL, or null for none */
export function storePlaceholder(platen: Platen, blob: StoredBlob, placeholder: string | null): void {
  platen.db
    .update(blobs)
    .set({ placeholder: placeholder ?? "" })
    .where(eq(blobs.id, blob.id))
    .run();
}

/** Folder of the blob → its placeholder, for those that have one. */
export function placeholdersIn(platen: Platen, folders: string[]): Map<string, string> {
  if (folders.length === 0) return new Map();
  const rows = platen.db
    .select({ folder: blobs.folder, placeholder: blobs.placeholder })
    .from(blobs)
    .where(inArray(blobs.folder, folders))
    .all();
  return new Map(rows.filter(({ placeholder }) => placeholder).map((row) => [row.folder, row.placeholder]));
}
