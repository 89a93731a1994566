import { asc } from "drizzle-orm";
import { blobs } from "../../database/schema";
import {
  areRenditionsMissing,
  ensureRenditions,
  remakeRenditions,
  thumbnailState,
} from "../../media/renditions";
import type { Platen } from "../../platen";

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
