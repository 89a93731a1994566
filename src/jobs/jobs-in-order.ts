import { count, desc, eq, or, sql } from "drizzle-orm";
import { jobs } from "../database/schema";
import type { Platen } from "../platen";
import type { Job } from "./job";

type Known = { id: number };

export function jobWithId({ db }: Platen, id: number): Job | undefined {
  return db.select().from(jobs).where(eq(jobs.id, id)).get() as Job | undefined;
}

interface JobChoice {
  /** What this account began, and what is done to these blogs; without it all there are. */
  reach?: { account: Known; blogs: Known[] };
  page: number;
  limit: number;
}

/** Newest first, and how many there are. */
export function jobsOf({ db }: Platen, { reach, page, limit }: JobChoice): { jobs: Job[]; total: number } {
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
export function unfinishedJobs({ db }: Platen): Job[] {
  return db.select().from(jobs).where(sql`${jobs.endedAt} is null`).orderBy(jobs.id).all() as Job[];
}
