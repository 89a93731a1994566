/** What came of a job: it stays, and its page shows it. */
export interface JobReport {
  /** In a sentence. */
  says: string;
  /** What is worth reading besides, in this order; a report that would be longer than MAX_REPORT_LENGTH loses the last of them. */
  lines?: ReportLine[];
  /** How many it has lost. */
  leftOff?: number;
  /** What it made: links on this server, each with its words. */
  links?: { path: `/${string}`; words: string }[];
}

export interface ReportLine {
  weight: "fault" | "warning" | "note";
  text: string;
  /** What it is true of, where that is many things: a few thousand, or the first of them. */
  each?: string[];
  /** How many these are. */
  total?: number;
}

/** In characters of JSON. */
export const MAX_REPORT_LENGTH = 100_000;
/** Of a line or sentence, in characters. */
const LONGEST_LINE = 1000;

/** The same in no more than MAX_REPORT_LENGTH. */
export function boundReport({ says, lines = [], leftOff = 0, links = [] }: JobReport): JobReport {
  const kept: ReportLine[] = [];
  let length = 0;
  const fits = (part: object | string) => {
    length += JSON.stringify(part).length + 1;
    return length <= MAX_REPORT_LENGTH;
  };
  fits({ says: cut(says), links });
  for (const { each, ...line } of lines) {
    const head = { ...line, text: cut(line.text) };
    if (!fits(head)) break;
    kept.push(head);
  }
  // What one line is true of leaves no other line out.
  for (const [at, line] of kept.entries()) {
    const { each } = lines[at] as ReportLine;
    if (each) line.each = each.map(cut).filter(fits);
  }
  return { says: cut(says), lines: kept, leftOff: leftOff + lines.length - kept.length, links };
}

function cut(text: string): string {
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)}…` : text;
}
