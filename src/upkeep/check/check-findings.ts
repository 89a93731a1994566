import { grouped } from "../../text/numbers";

export interface CheckFinding {
  /** Kind of finding, in the plural: "files are missing". */
  kind: string;
  sentence: string;
}

const MAX_PER_KIND = 10;

/** Formats findings as lines: the first few of each kind, and the number of the others. */
export function summarizeFindings(findings: CheckFinding[]): string[] {
  return [...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const lines = all.slice(0, MAX_PER_KIND).map(({ sentence }) => sentence);
    const more = all.length - lines.length;
    return more > 0 ? [...lines, `And ${grouped(more)} more ${kind}.`] : lines;
  });
}
