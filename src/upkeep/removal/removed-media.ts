import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { blobInFolder } from "../../media/files/blobs";
import { mediaFolder } from "../../media/files/media-folder";
import type { Platen } from "../../platen";

/** A copy of which nothing came for so long was left unfinished by a program that was killed; in milliseconds. */
const ABANDONED_AFTER = 60 * 60 * 1000;

/** Where copies of what was removed are kept, for as long as the owner wants. */
export function removedFolder(platen: Platen, ...below: string[]): string {
  return join(platen.config.data, "removed", ...below);
}

/**
 * Deletes the media of what was removed, which lie in its copy, also where a removal was killed before it came to that;
 * and copies that were never finished.
 */
export function finishRemovals(platen: Platen): void {
  const copies = namesIn(removedFolder(platen));
  const since = platen.now().getTime() - ABANDONED_AFTER;
  for (const name of copies.filter((name) => name.startsWith("."))) {
    const path = removedFolder(platen, name);
    if (statSync(path).mtimeMs < since) rmSync(path, { recursive: true, force: true });
  }
  for (const name of removedCopies(platen))
    for (const folder of namesIn(removedFolder(platen, name, "media")))
      if (blobInFolder(platen, folder) === undefined)
        rmSync(mediaFolder(platen, folder), { recursive: true, force: true });
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
