import { and, desc, eq, isNotNull, lt, notInArray, or } from "drizzle-orm";
import { DAY } from "../config/units";
import { countRows, deleteRows, findRow, findRows, insertRow, updateRows } from "../database/rows";
import { jobs } from "../database/schema";
import { inInvisibleTransaction } from "../database/transactions";
import { conflict, requireFound } from "../errors";
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

const MAX_UNFINISHED = 10;
/** Finished jobs are deleted after this long, or if they are not among the newest MAX_JOBS. */
const KEEP_MS = 90 * DAY;
const MAX_JOBS = 500;

type HasId = { id: number };

export function findJob(platen: Platen, id: number): Job | undefined {
  return findRow(platen, jobs, { id }) as Job | undefined;
}

export function updateJob(platen: Platen, id: number, values: Partial<Job>): void {
  updateRows(platen, jobs, { id }, values);
}

interface JobFilter {
  /** Selects the jobs that the account started, and the jobs of these blogs; undefined: all jobs. */
  visibleTo?: { account: HasId; blogs: HasId[] };
  page: number;
  limit: number;
}

/** Newest first. */
export function listJobs(platen: Platen, { visibleTo, page, limit }: JobFilter) {
  const ofBlogs = visibleTo?.blogs.map(({ id }) => eq(jobs.blogId, id)) ?? [];
  const condition = visibleTo && or(eq(jobs.accountId, visibleTo.account.id), ...ofBlogs);
  const range = { orderBy: desc(jobs.id), limit, offset: (page - 1) * limit };
  const found = findRows(platen, jobs, condition, range) as Job[];
  return { jobs: found, total: countRows(platen, jobs, condition) };
}

export function listUnfinishedJobs(platen: Platen): Job[] {
  return findRows(platen, jobs, { endedAt: null }, { orderBy: jobs.id }) as Job[];
}

interface NewJob<Input> {
  /** null: the job is for the whole instance. */
  blog: HasId | null;
  /** null: no account started the job. */
  account: HasId | null;
  input: Input;
}

/** @throws Refusal (conflict) if too many of the account's jobs are unfinished */
export function startJob<Input>(platen: Platen, kind: JobKind<Input>, job: NewJob<Input>): number {
  const { blog, account, input } = job;
  return inInvisibleTransaction(platen, () => {
    const own = listUnfinishedJobs(platen).filter(({ accountId }) => account && accountId === account.id);
    if (own.length >= MAX_UNFINISHED)
      throw conflict(
        `You have ${MAX_UNFINISHED} unfinished jobs. Wait for one to end, or cancel one under Jobs, then try again.`,
      );
    const row = {
      ...{ kind: kind.name, title: kind.title(input), given: input, createdAt: platen.now() },
      ...{ blogId: blog?.id ?? null, accountId: account?.id ?? null },
    };
    return insertRow(platen, jobs, row).id;
  });
}

/** @returns the id of the new job, or of an unfinished job of this kind that was not cancelled */
export function startJobOnce<Input>(platen: Platen, kind: JobKind<Input>, job: NewJob<Input>): number {
  const existing = listUnfinishedJobs(platen).find((one) => one.kind === kind.name && !one.isCancelAsked);
  return existing?.id ?? startJob(platen, kind, job);
}

/** @returns "running" if the job has yet to end @throws Refusal (missing) */
export function cancelJob(platen: Platen, id: number): JobState {
  inInvisibleTransaction(platen, () => {
    const job = requireFound(findJob(platen, id), "job");
    if (job.state === "queued") endJob(platen, id, { state: "cancelled" });
    if (job.state === "running") updateJob(platen, id, { isCancelAsked: true });
  });
  return findJob(platen, id)?.state ?? "cancelled";
}

type Outcome = Pick<Job, "state"> & Partial<Pick<Job, "done" | "total" | "doing" | "report">>;

/** Call this inside `inInvisibleTransaction`. */
export function endJob(platen: Platen, id: number, outcome: Outcome): void {
  updateJob(platen, id, { doing: "", ...outcome, endedAt: platen.now() });
}

export function deleteOldJobs(platen: Platen): void {
  const before = new Date(platen.now().getTime() - KEEP_MS);
  inInvisibleTransaction(platen, () => {
    const newest = platen.db.select({ id: jobs.id }).from(jobs).orderBy(desc(jobs.id)).limit(MAX_JOBS);
    const isOld = or(lt(jobs.endedAt, before), notInArray(jobs.id, newest));
    deleteRows(platen, jobs, and(isNotNull(jobs.endedAt), isOld));
  });
}
