import { existsSync, mkdirSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { eq } from "drizzle-orm";
import { blobs } from "../../database/schema";
import type { StoredFile } from "../../database/tables/media-tables";
import { inTransaction, waitForLock } from "../../database/transactions";
import type { Platen } from "../../platen";
import { syncPath } from "../../runtime/fsync";
import { blobWithId, isThereStill, type StoredBlob } from "../files/blobs";
import { hashOf, incomingFolder, mediaFolder, newFolderName } from "../files/media-folder";
import { fetchFile } from "../store/file-reading";
import { noteUnwanted } from "../store/unwanted-objects";

/**
 * Moves an upload back to its folder. Nothing is deleted at the store before all of it is in the folder and is what was
 * sent there. Killed anywhere, it can be begun again.
 * @throws StoreFault also where it is not what was sent there
 */
export async function fetchFromStore(platen: Platen, blob: StoredBlob): Promise<void> {
  try {
    await fetchAll(platen, blob);
  } catch (fault) {
    // Its files went while they were fetched, here or there.
    if (isThereStill(platen, blob)) throw fault;
    await rm(mediaFolder(platen, blob.folder), { recursive: true, force: true });
  }
}

async function fetchAll(platen: Platen, blob: StoredBlob): Promise<void> {
  const { folder, atStore } = blob;
  if (!atStore) return;
  await mkdir(incomingFolder(platen), { recursive: true });
  const isNew = !existsSync(mediaFolder(platen, folder));
  mkdirSync(mediaFolder(platen, folder), { recursive: true, mode: 0o700 });
  for (const file of atStore) await fetchOne(platen, folder, file);
  syncPath(mediaFolder(platen, folder));
  if (isNew) syncPath(mediaFolder(platen));
  await waitForLock(platen);
  const isKept = inTransaction(platen, () => {
    const found = blobWithId(platen, blob.id);
    if (found?.folder !== folder) return false;
    if (found.atStore) noteUnwanted(platen, found);
    platen.db.update(blobs).set({ atStore: null }).where(eq(blobs.id, blob.id)).run();
    return true;
  });
  // Deleted or replaced meanwhile.
  if (!isKept) await rm(mediaFolder(platen, folder), { recursive: true, force: true });
}

async function fetchOne(platen: Platen, folder: string, file: StoredFile): Promise<void> {
  const path = mediaFolder(platen, folder, file.name);
  if (existsSync(path) && (await hashOf(path)) === file.sha256) return;
  const arrived = incomingFolder(platen, newFolderName());
  await fetchFile(platen, folder, file, arrived);
  await rename(arrived, path);
}
