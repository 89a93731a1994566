/** What came of a job: it stays, and its page shows it. */
export interface JobReport {
  /** In a sentence. */
  says: string;
  /** What is worth reading besides, in this order; a report that would be longer than LONGEST_REPORT loses the last of them. */
  lines?: ReportLine[];
  /** How many it has lost. */
  leftOff?: number;
  /** What it made: links on this server, each with its words. */
  links?: { path: `/${string}`; words: string }[];
}

export interface ReportLine {
  weight: "fault" | "warning" | "note";
  text: string;
}

/** In characters of JSON. */
export const LONGEST_REPORT = 100_000;
/** Of a line or sentence, in characters. */
const LONGEST_LINE = 1000;

/** The same in no more than LONGEST_REPORT. */
export function bounded({ says, lines = [], leftOff = 0, links = [] }: JobReport): JobReport {
  const kept: ReportLine[] = [];
  let length = JSON.stringify({ says: cut(says), links }).length;
  for (const { weight, text } of lines) {
    const line = { weight, text: cut(text) };
    length += JSON.stringify(line).length + 1;
    if (length > LONGEST_REPORT) break;
    kept.push(line);
  }
  return { says: cut(says), lines: kept, leftOff: leftOff + lines.length - kept.length, links };
}

function cut(text: string): string {
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}
