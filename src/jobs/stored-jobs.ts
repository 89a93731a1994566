import { and, desc, eq, isNotNull, lt, notInArray, or } from "drizzle-orm";
import { DAY } from "../config/units";
import { countRows, deleteRows, findRow, findRows, insertRow, updateRows } from "../database/rows";
import { jobs } from "../database/schema";
import { inInvisibleTransaction } from "../database/transactions";
import { conflict, requireFound } from "../errors";
import type { Platen } from "../platen";
import type { Job, JobKind, JobState } from "./job";

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
  const condition =
    visibleTo &&
    or(eq(jobs.accountId, visibleTo.account.id), ...visibleTo.blogs.map(({ id }) => eq(jobs.blogId, id)));
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
    const active = listUnfinishedJobs(platen).filter(
      ({ accountId }) => accountId && accountId === account?.id,
    );
    if (active.length >= MAX_UNFINISHED)
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
