import { and, count, desc, eq, isNotNull, lt, notInArray, or, sql } from "drizzle-orm";
import { DAY } from "../config/units";
import { keepDataVersion } from "../database/data-version";
import { jobs } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict, notFound } from "../errors";
import type { Platen } from "../platen";
import type { Job, JobKind, JobState } from "./job";

type Known = { id: number };

export function findJob({ db }: Platen, id: number): Job | undefined {
  return db.select().from(jobs).where(eq(jobs.id, id)).get() as Job | undefined;
}

interface JobChoice {
  /** What this account began, and what is done to these blogs; without it all there are. */
  reach?: { account: Known; blogs: Known[] };
  page: number;
  limit: number;
}

/** Newest first, and how many there are. */
export function listJobs({ db }: Platen, { reach, page, limit }: JobChoice): { jobs: Job[]; total: number } {
  const condition =
    reach && or(eq(jobs.accountId, reach.account.id), ...reach.blogs.map(({ id }) => eq(jobs.blogId, id)));
  const rows = db.select().from(jobs).where(condition).orderBy(desc(jobs.id));
  const [all] = db.select({ total: count() }).from(jobs).where(condition).all();
  return {
    jobs: rows
      .limit(limit)
      .offset((page - 1) * limit)
      .all() as Job[],
    total: all?.total ?? 0,
  };
}

/** Those that wait or run, in the order they were begun. */
export function listUnfinishedJobs({ db }: Platen): Job[] {
  return db.select().from(jobs).where(sql`${jobs.endedAt} is null`).orderBy(jobs.id).all() as Job[];
}

/** Of one account that wait or run: those of a kind are done one after the other, whosever they are. */
const MOST_WAITING = 10;

interface NewJob<Given> {
  /** null: of the whole instance. */
  blog: Known | null;
  /** Who begins it; null: somebody at a terminal. */
  account: Known | null;
  /** JSON. */
  given: Given;
}

/**
 * Writes down what is to be done; the running server begins it within a second, or when the jobs before it are done.
 * @returns its id
 * @throws Refusal (conflict) where too many of the account's wait
 */
export function startJob<Given>(
  platen: Platen,
  kind: JobKind<Given>,
  { blog, account, given }: NewJob<Given>,
): number {
  let id = 0;
  changeJobs(platen, () => {
    demandFewWaiting(platen, account);
    const row = {
      ...{ kind: kind.name, title: kind.title(given), given, createdAt: platen.now() },
      ...{ blogId: blog?.id ?? null, accountId: account?.id ?? null },
    };
    id = platen.db.insert(jobs).values(row).returning({ id: jobs.id }).get().id;
  });
  return id;
}

function demandFewWaiting(platen: Platen, account: Known | null): void {
  const theirs = listUnfinishedJobs(platen).filter(({ accountId }) => account && accountId === account.id);
  if (theirs.length >= MOST_WAITING)
    throw conflict(
      `${MOST_WAITING} jobs of yours are not done yet. Wait for one to end, or cancel one under Jobs, and try again.`,
    );
}

/** As `startJob`, unless one of the kind waits or runs already. @returns its id, or that one's */
export function startJobOnce<Given>(platen: Platen, kind: JobKind<Given>, wish: NewJob<Given>): number {
  const begun = listUnfinishedJobs(platen).find((job) => job.kind === kind.name && !job.isCancelAsked);
  return begun?.id ?? startJob(platen, kind, wish);
}

/**
 * One that waits is not begun; one that runs ends within a second or two, at its next step. One that has ended stays as it is.
 * @returns its state then: "running" where it is still to end
 * @throws Refusal (missing)
 */
export function cancelJob(platen: Platen, id: number): JobState {
  changeJobs(platen, () => {
    const job = findJob(platen, id);
    if (!job) throw notFound("job");
    if (job.state === "queued") endJob(platen, id, { state: "cancelled" });
    if (job.state === "running")
      platen.db.update(jobs).set({ isCancelAsked: true }).where(eq(jobs.id, id)).run();
  });
  return findJob(platen, id)?.state ?? "cancelled";
}

/** Inside a transaction. */
export function endJob(
  platen: Platen,
  id: number,
  outcome: Pick<Job, "state"> & Partial<Pick<Job, "done" | "total" | "doing" | "report">>,
): void {
  platen.db
    .update(jobs)
    .set({ doing: "", ...outcome, endedAt: platen.now() })
    .where(eq(jobs.id, id))
    .run();
}

/** A job and its report stay for so long after its end; of many, the newest so many. */
const KEPT_FOR = 90 * DAY;
const MOST_KEPT = 500;

/** For upkeep. */
export function deleteOldJobs(platen: Platen): void {
  const before = new Date(platen.now().getTime() - KEPT_FOR);
  changeJobs(platen, () => {
    const newest = platen.db.select({ id: jobs.id }).from(jobs).orderBy(desc(jobs.id)).limit(MOST_KEPT);
    platen.db
      .delete(jobs)
      .where(and(isNotNull(jobs.endedAt), or(lt(jobs.endedAt, before), notInArray(jobs.id, newest))))
      .run();
  });
}

/** No page that readers see says anything of jobs: none in memory grows old by them. */
export function changeJobs(platen: Platen, change: () => void): void {
  keepDataVersion(platen, () => inTransaction(platen, change));
}
