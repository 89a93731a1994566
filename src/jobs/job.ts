import type { jobs } from "../database/schema";
import type { Platen } from "../platen";
import type { JobReport } from "./job-report";

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
