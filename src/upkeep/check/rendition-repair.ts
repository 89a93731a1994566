import { asc } from "drizzle-orm";
import { blobs } from "../../database/schema";
import type { RenditionSource } from "../../media/files/rendition-sizes";
import {
  areRenditionsMissing,
  ensureRenditions,
  isBlankRendition,
  isThumbnailMissing,
  remakeRenditions,
} from "../../media/images/renditions";
import type { Platen } from "../../platen";

/** Whether a file has a thumbnail; the sizes are made when they are asked for, or all at once by a repair. A blank has been tried in vain. */
export async function thumbnailState(
  platen: Platen,
  blob: RenditionSource,
): Promise<"there" | "missing" | "blank"> {
  if (isThumbnailMissing(platen, blob)) return "missing";
  return blob.mediaType === "image" && (await isBlankRendition(platen, blob)) ? "blank" : "there";
}

/**
 * Makes sizes that are missing, and tries pictures again that are shown as a blank. Those of what is at a store are made when
 * they are asked for: they may not all be kept.
 * @param progress told how many of how many files are done, and waited for; what it throws ends it
 * @returns how many files have all their sizes now that had not
 */
export async function repairRenditions(
  platen: Platen,
  progress: (done: number, all: number) => void | Promise<void>,
): Promise<number> {
  let repaired = 0;
  const all = platen.db.select().from(blobs).orderBy(asc(blobs.id)).all();
  for (const [done, blob] of all.entries()) {
    await progress(done, all.length);
    const isBlank = (await thumbnailState(platen, blob)) === "blank";
    if (!isBlank && (blob.atStore || !areRenditionsMissing(platen, blob))) continue;
    await (isBlank ? remakeRenditions : ensureRenditions)(platen, blob);
    if ((await thumbnailState(platen, blob)) === "there" && !areRenditionsMissing(platen, blob)) repaired++;
  }
  await progress(all.length, all.length);
  return repaired;
}
