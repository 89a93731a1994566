import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { counted } from "../../text/numbers";
import {
  type CheckFinding,
  countUndeletedPosts,
  hasWrongTags,
  rewriteTags,
  summarizeFindings,
} from "./database-check";
import { checkMedia } from "./media-check";

export interface FolderReport {
  problems: string[];
  remarks: string[];
  /** Message about uploads without renditions. Not a problem, because copies of the folder may omit renditions. */
  missingSizes: string | null;
  summary: string;
}

export async function checkFolder(
  platen: Platen,
  databaseFindings: CheckFinding[],
  progress: (done: number, all: number) => void,
): Promise<FolderReport> {
  const media = await checkMedia(platen, progress);
  return {
    problems: summarizeFindings([...databaseFindings, ...media.problems]),
    remarks: summarizeFindings(media.remarks),
    missingSizes: media.withoutSizes.length > 0 ? missingSizesMessage(media.withoutSizes) : null,
    summary: `${counted(countUndeletedPosts(platen), "post")}, ${counted(media.files, "file")}`,
  };
}

function missingSizesMessage([first, ...others]: string[]): string {
  const files =
    others.length === 0 ? `${first} lacks` : `${first} and ${counted(others.length, "more file")} lack`;
  return `${files} smaller sizes, which are created on demand, or now with --repair.`;
}

export function repairTags(platen: Platen): boolean {
  return inTransaction(platen, () => {
    const isWrong = hasWrongTags(platen);
    if (isWrong) rewriteTags(platen);
    return isWrong;
  });
}
