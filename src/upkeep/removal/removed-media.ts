import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isNotNull } from "drizzle-orm";
import { openReadOnly } from "../../database/open";
import { blobs } from "../../database/schema";
import { inSharedTransaction } from "../../database/transactions";
import { isToBeDeleted, queueFolderDeletion } from "../../media/deleting-media";
import { blobInFolder } from "../../media/files/blobs";
import { mediaFolder } from "../../media/files/media-folder";
import type { Platen } from "../../platen";
import type { RemovalProgress } from "./removal-progress";

/** Where copies of what was removed are kept, for as long as the owner wants. */
export function removedFolder(platen: Platen, ...below: string[]): string {
  return join(platen.config.data, "removed", ...below);
}

/** Uploads whose files are noted together. */
const UPLOADS_AT_ONCE = 200;

/** Has the files of what was removed deleted, which lie in its copy. @param folder of the copy */
export async function deleteFiles(platen: Platen, folder: string, work: RemovalProgress): Promise<void> {
  // What is noted stays there until it goes: begun again after each step, this would else begin with it again.
  const isLeft = (name: string) =>
    existsSync(mediaFolder(platen, name)) && !blobInFolder(platen, name) && !isToBeDeleted(platen, name);
  const left = namesIn(join(folder, "media")).filter(isLeft);
  for (let first = 0; first < left.length; first += UPLOADS_AT_ONCE) {
    await inSharedTransaction(platen, () => {
      for (const name of left.slice(first, first + UPLOADS_AT_ONCE)) queueFolderDeletion(platen, name);
    });
    await work.step(0);
  }
}

/** Deletes copies that an earlier version, which never went on with them, was killed in the middle of. */
export function deleteAbandonedCopies(platen: Platen): void {
  for (const name of namesIn(removedFolder(platen)))
    if (/^\.[0-9a-f]{32}$/.test(name)) rmSync(removedFolder(platen, name), { recursive: true, force: true });
}

/** Of those that are whole, the names below `removedFolder`. */
export function removedCopies(platen: Platen): string[] {
  return namesIn(removedFolder(platen)).filter((name) => !name.startsWith("."));
}

/** Whether media of what was removed are still to be deleted here: by the server when it starts. */
export function isLeftOfRemoval(platen: Platen, folder: string): boolean {
  return removedCopies(platen).some((name) => existsSync(removedFolder(platen, name, "media", folder)));
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** An upload's folder → the copy in the folder `removed` that refers to what it has at the store. */
export function removedAtStore(platen: Platen): Map<string, string> {
  const found = new Map<string, string>();
  for (const copy of removedCopies(platen)) {
    const file = removedFolder(platen, copy, "platen.db");
    if (existsSync(file)) for (const folder of foldersIn(file)) found.set(folder, copy);
  }
  return found;
}

function foldersIn(file: string): string[] {
  const db = openReadOnly(file);
  try {
    const rows = db.select({ folder: blobs.folder }).from(blobs).where(isNotNull(blobs.atStore)).all();
    return rows.map(({ folder }) => folder);
  } catch {
    // Of a version from before there were stores, or damaged.
    return [];
  } finally {
    db.$client.close(false);
  }
}
