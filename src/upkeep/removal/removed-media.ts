import { existsSync } from "node:fs";
import { join } from "node:path";
import { isNotNull } from "drizzle-orm";
import { openReadOnly } from "../../database/open";
import { findValues } from "../../database/rows";
import { blobs } from "../../database/schema";
import { inSharedTransaction } from "../../database/transactions";
import { isToBeDeleted, queueFolderDeletion } from "../../media/deleting-media";
import { blobInFolder } from "../../media/files/blobs";
import { mediaFolder } from "../../media/files/media-folder";
import type { Platen } from "../../platen";
import { namesIn } from "../../runtime/files";
import type { Step } from "./owned-rows";

export function removedFolder(platen: Platen, ...below: string[]): string {
  return join(platen.config.data, "removed", ...below);
}

const UPLOADS_PER_COMMIT = 200;

/** The files are deleted later. @param folder the copy's folder */
export async function deleteFiles(platen: Platen, folder: string, step: Step): Promise<void> {
  const isLeft = (name: string) =>
    existsSync(mediaFolder(platen, name)) && !blobInFolder(platen, name) && !isToBeDeleted(platen, name);
  const left = namesIn(join(folder, "media")).filter(isLeft);
  for (let first = 0; first < left.length; first += UPLOADS_PER_COMMIT) {
    await inSharedTransaction(platen, () => {
      for (const name of left.slice(first, first + UPLOADS_PER_COMMIT)) queueFolderDeletion(platen, name);
    });
    await step();
  }
}

function removedCopies(platen: Platen): string[] {
  return namesIn(removedFolder(platen)).filter((name) => !name.startsWith("."));
}

export function isLeftOfRemoval(platen: Platen, folder: string): boolean {
  return removedCopies(platen).some((name) => existsSync(removedFolder(platen, name, "media", folder)));
}

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
    return findValues({ db }, blobs, "folder", isNotNull(blobs.atStore));
  } catch {
    // The copy is from a version without object stores, or its database is damaged.
    return [];
  } finally {
    db.$client.close(false);
  }
}
