import type { Platen } from "../platen";
import { type Finding, summedUp } from "./check-findings";
import { countPosts } from "./database-check";
import { checkMedia } from "./media-check";

/** All that a check has to say, in sentences. */
interface CheckedFolder {
  /** What is wrong. */
  faults: string[];
  /** What is worth knowing, and no fault. */
  remarks: string[];
  /** Which files have not even a thumbnail yet; null: none. */
  lack: string | null;
  /** What was looked at: "1 post, 2 files". */
  looked: string;
}

/**
 * Reads every uploaded file, and sums up what was found, there and in the database.
 * @param progress see `checkMedia`
 */
export async function checkFolder(
  platen: Platen,
  wrongInDatabase: Finding[],
  progress: Parameters<typeof checkMedia>[1],
): Promise<CheckedFolder> {
  const media = await checkMedia(platen, progress);
  return {
    faults: summedUp([...wrongInDatabase, ...media.faults]),
    remarks: summedUp(media.remarks),
    lack: media.withoutSizes.length > 0 ? lackOf(media.withoutSizes) : null,
    looked: `${counted(countPosts(platen), "post")}, ${counted(media.files, "file")}`,
  };
}

/** No fault, nor a warning: a copy may well leave out what can be made again. */
function lackOf([first, ...others]: string[]): string {
  const files =
    others.length === 0 ? `${first} lacks` : `${first} and ${counted(others.length, "file")} more lack`;
  return `${files} smaller sizes: they are made when they are asked for, or now by --repair.`;
}

/** "1 post", "2 posts" */
function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
