/** Stored as JSON, so the names must not change. */
export interface JobReport {
  message: string;
  /** The last lines are dropped if the report would exceed MAX_REPORT_LENGTH. */
  lines?: ReportLine[];
  leftOff?: number;
  links?: { path: `/${string}`; words: string }[];
}

export interface ReportLine {
  weight: "error" | "warning" | "note";
  text: string;
  /** Items that the line applies to. The list may be shortened; `total` counts all items. */
  each?: string[];
  total?: number;
}

/** In characters of JSON. */
export const MAX_REPORT_LENGTH = 100_000;
const MAX_LINE_LENGTH = 1000;

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
