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

export async function thumbnailState(
  platen: Platen,
  blob: RenditionSource,
): Promise<"there" | "missing" | "blank"> {
  if (isThumbnailMissing(platen, blob)) return "missing";
  return blob.mediaType === "image" && (await isBlankRendition(platen, blob)) ? "blank" : "there";
}

/**
 * Retries blank renditions, and creates missing ones. Files in the object store may lack renditions.
 * @param progress awaited; throws to stop the repair
 * @returns the number of repaired files
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
