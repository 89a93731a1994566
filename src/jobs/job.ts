import type { jobs } from "../database/schema";
import type { Platen } from "../platen";
import type { JobReport } from "./job-report";

export type Job = Omit<typeof jobs.$inferSelect, "report"> & { report: JobReport | null };
export type JobState = Job["state"];

export interface JobKind<Input> {
  /** Stored in the database, so the name must not change. */
  readonly name: string;
  title(input: Input): string;
  /** Whether an interrupted job runs again, with its bookmark. If not, the job fails. */
  readonly isResumable: boolean;
  /** @throws anything; the job then fails, and a Refusal's message becomes its report */
  run(platen: Platen, task: JobTask<Input>): Promise<JobReport>;
}

export interface JobTask<Input> {
  readonly input: Input;
  readonly job: Pick<Job, "id" | "blogId" | "accountId">;
  /** The value that earlier runs saved last; null if there is none. */
  readonly bookmark: unknown;
  /** Aborted when the job is cancelled or the server stops. */
  readonly signal: AbortSignal;
  /**
   * Reports progress and yields to the event loop. Call this at least every 50 ms, outside a transaction.
   * @throws when the job is cancelled or the server stops; clean up and rethrow
   */
  reportProgress(progress: JobProgress): Promise<void>;
  /** Saves a JSON value immediately. Inside a transaction, the bookmark commits together with the work. */
  saveBookmark(bookmark: unknown): void;
}

export interface JobProgress {
  done?: number;
  /** 0: unknown. */
  total?: number;
  doing?: string;
  report?: JobReport;
}

/** Abort reason when the server stops. A resumable job continues at the next start. */
export class ServerStopped extends Error {}

// biome-ignore lint/suspicious/noExplicitAny: the input was checked when the job was created
export type AnyJobKind = JobKind<any>;
