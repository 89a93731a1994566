import { grouped } from "../../text/numbers";
/** Something that a check found. */
export interface CheckFinding {
  /** What it has in common with others, to follow a number: "files are missing". */
  kind: string;
  /** What is wrong, a sentence. */
  sentence: string;
}

/** Sentences of one kind that are told one by one. */
const MOST_TOLD = 10;

/** The findings as lines, kind by kind; of those that repeat, the first few and how many more there are. */
export function summarizeFindings(findings: CheckFinding[]): string[] {
  return [...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const told = all.slice(0, MOST_TOLD).map(({ sentence }) => sentence);
    const more = all.length - told.length;
    return more > 0 ? [...told, `And ${grouped(more)} more ${kind}.`] : told;
  });
}
