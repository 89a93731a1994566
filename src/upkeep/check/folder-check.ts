import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { type CheckFinding, summarizeFindings } from "./check-findings";
import { countUndeletedPosts, findWrongCounters } from "./database-check";
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
  wrongInDatabase: CheckFinding[],
  progress: Parameters<typeof checkMedia>[1],
): Promise<CheckedFolder> {
  const media = await checkMedia(platen, progress);
  return {
    faults: summarizeFindings([...wrongInDatabase, ...media.faults]),
    remarks: summarizeFindings(media.remarks),
    lack: media.withoutSizes.length > 0 ? lackOf(media.withoutSizes) : null,
    looked: `${counted(countUndeletedPosts(platen), "post")}, ${counted(media.files, "file")}`,
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

/** Counts anew where counters are wrong; triggers keep them right from then on. @returns what they count: "posts" */
export function repairCounters(platen: Platen): string[] {
  return inTransaction(platen, () =>
    findWrongCounters(platen).map(({ table, of, counted }) => {
      for (const change of [
        `CREATE TEMP TABLE counted_anew AS ${counted}`,
        `DELETE FROM ${table}`,
        `INSERT INTO ${table} SELECT * FROM counted_anew`,
        "DROP TABLE counted_anew",
      ])
        platen.db.$client.run(change);
      return of;
    }),
  );
}
