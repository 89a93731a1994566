import type { jobs } from "../database/schema";
import type { Platen } from "../platen";
import type { JobReport } from "./job-report";

export type Job = Omit<typeof jobs.$inferSelect, "report"> & { report: JobReport | null };
export type JobState = Job["state"];

/**
 * Work of one kind: an import, a check. Whose work it is owns the kind; which there are is told in
 * commands/instance/job-kinds.ts.
 */
export interface JobKind<Given> {
  /** In the database: not to be changed. */
  readonly name: string;
  /** What one of it is called: "Check of everything". */
  title(given: Given): string;
  /** After the server was stopped or died in the middle it is run again, and finds its bookmark; otherwise it has failed. */
  readonly isResumable: boolean;
  /** @returns what is to be read of it; what it throws is told in the place of that (a Refusal in its words) */
  run(platen: Platen, task: JobTask<Given>): Promise<JobReport>;
}

/** A job, to whoever does it. */
export interface JobTask<Given> {
  readonly given: Given;
  readonly job: Pick<Job, "id" | "blogId" | "accountId">;
  /** What `saveBookmark` was given last, before an interruption; null at the first run. */
  readonly bookmark: unknown;
  /** Aborted when the job is cancelled or the server stops: for what waits (a request, a thread). */
  readonly signal: AbortSignal;
  /**
   * Says how far it is, and lets others have their turn: to be awaited after 50 ms of work at the latest, however often it
   * is cheap enough. Written down twice a second. Never inside a transaction.
   * @throws what ends the job where it is cancelled or the server stops: to be let through, after tidying up
   */
  reportProgress(progress: JobProgress): Promise<void>;
  /** Written at once; inside a transaction with what that does, so that neither is there without the other. JSON. */
  saveBookmark(bookmark: unknown): void;
}

export interface JobProgress {
  done?: number;
  /** 0: nobody knows. */
  total?: number;
  /** "Reading file 12 of 500" */
  doing?: string;
  /** What is to be read if it ends here. */
  report?: JobReport;
}

/** What a job's signal is aborted with where the server stops, and may go on with the job when it starts again. */
export class ServerStopped extends Error {}

/** Any kind, to what knows them all. */
// biome-ignore lint/suspicious/noExplicitAny: what a job was given was checked when it was begun
export type AnyJobKind = JobKind<any>;
