import { asc } from "drizzle-orm";
import { blobs } from "../database/schema";
import type { Sized } from "../media/images/rendition-widths";
import { isShownAsBlank, missingRenditions, remakeRenditions } from "../media/images/renditions";
import type { Platen } from "../platen";

/** What the sizes of a file are: made when they are asked for, they may be missing; a blank has been tried in vain. */
export async function sizesOf(platen: Platen, blob: Sized): Promise<"there" | "missing" | "blank"> {
  if (missingRenditions(platen, blob).length > 0) return "missing";
  return blob.mediaType === "image" && (await isShownAsBlank(platen, blob)) ? "blank" : "there";
}

/**
 * Makes sizes that are missing, and tries pictures again that are shown as a blank.
 * @param progress told how many of how many files are done, and waited for; what it throws ends it
 * @returns how many files have all their sizes now that had not
 */
export async function repairSizes(
  platen: Platen,
  progress: (done: number, all: number) => void | Promise<void>,
): Promise<number> {
  let repaired = 0;
  const all = platen.db.select().from(blobs).orderBy(asc(blobs.id)).all();
  for (const [done, blob] of all.entries()) {
    await progress(done, all.length);
    if ((await sizesOf(platen, blob)) === "there") continue;
    await remakeRenditions(platen, blob);
    if ((await sizesOf(platen, blob)) === "there") repaired++;
  }
  await progress(all.length, all.length);
  return repaired;
}
