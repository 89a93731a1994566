/** The result of a job. Stored as JSON, so the names must not change. */
export interface JobReport {
  message: string;
  /** Detail lines. The last lines are dropped if the report would exceed MAX_REPORT_LENGTH. */
  lines?: ReportLine[];
  /** Number of dropped lines. */
  leftOff?: number;
  /** Links on this server to what the job created. */
  links?: { path: `/${string}`; words: string }[];
}

export interface ReportLine {
  weight: "error" | "warning" | "note";
  text: string;
  /** Items that the line applies to. The list may be shortened. */
  each?: string[];
  /** Number of items before shortening. */
  total?: number;
}

/** Maximum length of a report in characters of JSON. */
export const MAX_REPORT_LENGTH = 100_000;
const MAX_LINE_LENGTH = 1000;

/** Shortens a report to MAX_REPORT_LENGTH. */
export function boundReport({ message, lines = [], leftOff = 0, links = [] }: JobReport): JobReport {
  const keptLines: ReportLine[] = [];
  let length = 0;
  const fits = (part: object | string) => {
    length += JSON.stringify(part).length + 1;
    return length <= MAX_REPORT_LENGTH;
  };
  fits({ message: cutLine(message), links });
  for (const { each, ...line } of lines) {
    const head = { ...line, text: cutLine(line.text) };
    if (!fits(head)) break;
    keptLines.push(head);
  }
  // Items are added after all lines, so that one line's items do not displace other lines.
  for (const [at, line] of keptLines.entries()) {
    const { each } = lines[at] as ReportLine;
    if (each) line.each = each.map(cutLine).filter(fits);
  }
  return {
    message: cutLine(message),
    lines: keptLines,
    leftOff: leftOff + lines.length - keptLines.length,
    links,
  };
}

function cutLine(text: string): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
}
