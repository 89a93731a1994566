import type { jobs } from "../database/schema";
import type { Platen } from "../platen";

export type Job = Omit<typeof jobs.$inferSelect, "report"> & { report: JobReport | null };
export type JobState = Job["state"];

export interface JobKind<Input> {
  /** Stored in the database, so the name must not change. */
  readonly name: string;
  title(input: Input): string;
  /** Whether a job that was interrupted, not cancelled, runs again with its bookmark. */
  readonly isResumable: boolean;
  /** @throws anything; if the error is a Refusal, the job's report shows its message */
  run(platen: Platen, task: JobTask<Input>): Promise<JobReport>;
}

export interface JobTask<Input> {
  readonly input: Input;
  readonly job: Pick<Job, "id" | "blogId" | "accountId">;
  /** The last value that an earlier run saved; null if there is none. */
  readonly bookmark: unknown;
  /** Aborted when the job is cancelled or the server stops. */
  readonly signal: AbortSignal;
  /**
   * Yields to the event loop. Call this method at least every 50 ms of work, outside transactions.
   * @throws when the job is cancelled or the server stops; clean up and rethrow
   */
  reportProgress(progress: JobProgress): Promise<void>;
  /** Takes a JSON value. In a transaction, the bookmark commits together with the work. */
  saveBookmark(bookmark: unknown): void;
}

export interface JobProgress {
  done?: number;
  /** 0: unknown. */
  total?: number;
  doing?: string;
  report?: JobReport;
}

export class ServerStopped extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: the input was checked when the job was created
export type AnyJobKind = JobKind<any>;

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
  const allLeftOff = leftOff + lines.length - keptLines.length;
  return { message: cutLine(message), lines: keptLines, leftOff: allLeftOff, links };
}

function cutLine(text: string): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
}
