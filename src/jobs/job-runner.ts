import { keepDataVersion } from "../database/change-counter";
import {
  inInvisibleTransaction,
  inUnsyncedTransaction,
  unlessLocked,
  waitForLock,
} from "../database/transactions";
import { asDiskFull, conflict, Refusal } from "../errors";
import type { Platen } from "../platen";
import { startChildCommand } from "../runtime/child-command";
import { yieldToEventLoop } from "../runtime/yielding";
import type { AnyJobKind, Job, JobProgress, JobReport, JobTask } from "./jobs";
import { boundReport, endJob, listUnfinishedJobs, ServerStopped, updateJob } from "./jobs";

/** Maximum number of jobs at the same time. Two jobs of one kind do not run together. */
const MAX_RUNNING = 2;
const PROGRESS_INTERVAL_MS = 500;

type LastProgress = Pick<Job, "done" | "total" | "doing" | "report">;

/** A job that a previous process left running counts as interrupted. */
export function jobRunner(platen: Platen, kinds: readonly AnyJobKind[]) {
  const running = new Map<number, { kind: AnyJobKind; controller: AbortController; ended: Promise<void> }>();
  let isStopping = false;

  const begin = (job: Job, kind: AnyJobKind) => {
    inInvisibleTransaction(platen, () =>
      updateJob(platen, job.id, { state: "running", begunAt: platen.now() }),
    );
    const controller = new AbortController();
    const ended = runJob(platen, job, kind, controller.signal).finally(() => running.delete(job.id));
    running.set(job.id, { kind, controller, ended });
  };
  const look = (job: Job) => {
    const ours = running.get(job.id);
    if (ours) {
      if (job.isCancelAsked) ours.controller.abort(new Cancelled());
      return;
    }
    const kind = kinds.find(({ name }) => name === job.kind);
    const isFree = [...running.values()].every((other) => other.kind !== kind);
    if (job.state === "running") inInvisibleTransaction(platen, () => settleInterrupted(platen, job, kind));
    else if (!kind)
      inInvisibleTransaction(platen, () =>
        endJob(platen, job.id, failedOutcome("This version of Platen does not know this kind of job.")),
      );
    else if (running.size < MAX_RUNNING && isFree) begin(job, kind);
  };
  const settled = async () => void (await Promise.all([...running.values()].map(({ ended }) => ended)));
  return {
    /** @returns when to call this again, in milliseconds since 1970 */
    step(): number {
      if (isStopping) return Number.POSITIVE_INFINITY;
      const unfinished = listUnfinishedJobs(platen);
      for (const [id, { controller }] of running)
        if (!unfinished.some((job) => job.id === id))
          controller.abort(new Cancelled("The job's blog was removed."));
      for (const job of unfinished) look(job);
      // Runs again soon, because saving the outcome of a job may have failed.
      return unfinished.length + running.size > 0 ? 0 : Number.POSITIVE_INFINITY;
    },
    settled,
    async stop(): Promise<void> {
      isStopping = true;
      for (const { controller } of running.values()) controller.abort(new ServerStopped());
      await settled();
    },
  };
}

class Cancelled extends Error {}

/** If saving the outcome fails, the next `step` treats the job as interrupted. */
async function runJob(platen: Platen, job: Job, kind: AnyJobKind, signal: AbortSignal): Promise<void> {
  const last: LastProgress = { done: job.done, total: job.total, doing: job.doing, report: null };
  const outcome = await kind.run(platen, taskOf(platen, job, signal, last)).then(
    (report) => ({ state: "done" as const, report: boundReport(report) }),
    (error) => errorOutcome(platen, { ...job, ...last }, error, signal),
  );
  try {
    await waitForLock(platen);
    inInvisibleTransaction(platen, () => {
      if (outcome === "interrupted") settleInterrupted(platen, { ...job, ...last }, kind);
      else endJob(platen, job.id, { ...last, doing: "", ...outcome });
    });
  } catch (error) {
    platen.log(`The final state of job ${job.id} could not be saved: ${(error as Error).message}`);
  }
}

function taskOf(platen: Platen, job: Job, signal: AbortSignal, last: LastProgress): JobTask<unknown> {
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    ...{ input: job.given, job, bookmark: job.bookmark, signal },
    async reportProgress({ report, ...progress }) {
      Object.assign(last, progress);
      if (report) last.report = boundReport(report);
      const at = platen.now().getTime();
      if (Math.abs(at - writtenAt) >= PROGRESS_INTERVAL_MS) {
        writtenAt = at;
        writeProgress(platen, job, last);
      }
      await yieldToEventLoop();
      signal.throwIfAborted();
    },
    saveBookmark: (bookmark) => keepDataVersion(platen, () => updateJob(platen, job.id, { bookmark })),
  };
}

/** Skips the write on a full disk, or while another process writes. */
function writeProgress(platen: Platen, { id }: Job, { done, total, doing }: LastProgress): void {
  try {
    const write = () => updateJob(platen, id, { done, total, doing });
    keepDataVersion(platen, () => unlessLocked(platen, () => inUnsyncedTransaction(platen, write)));
  } catch (error) {
    if (!asDiskFull(error)) throw error;
  }
}

function errorOutcome(platen: Platen, { id, title, report }: Job, error: unknown, signal: AbortSignal) {
  if (signal.reason instanceof ServerStopped) return "interrupted";
  if (signal.reason instanceof Cancelled) return { state: "cancelled" as const, report };
  const refusal = error instanceof Refusal ? error : asDiskFull(error);
  if (!refusal) platen.log(`Job ${id} (${title}) failed: ${error instanceof Error ? error.stack : error}`);
  return failedOutcome(refusal?.message ?? "Something went wrong. See the server's log.", report);
}

function settleInterrupted(platen: Platen, job: Job, kind: AnyJobKind | undefined): void {
  if (job.isCancelAsked) endJob(platen, job.id, { state: "cancelled" });
  else if (kind?.isResumable) updateJob(platen, job.id, { state: "queued", doing: "" });
  else endJob(platen, job.id, failedOutcome("Interrupted: the server was stopped.", job.report));
}

function failedOutcome(message: string, report: JobReport | null = null) {
  const full: JobReport = report ? { ...report, message: `${message} ${report.message}` } : { message };
  return { state: "failed" as const, report: boundReport(full) };
}

interface CommandOptions<Line> {
  doing: string;
  total?: number;
  priority?: number;
  /** Converts a line that the command prints to standard error as JSON. */
  progressOf?(line: Line): JobProgress;
}

/**
 * @throws Refusal (conflict) with the last line of standard error if the command fails without a JSON report
 * @throws the abort reason
 */
export async function runJobCommand<Line extends object>(
  platen: Platen,
  { signal, reportProgress }: Pick<JobTask<unknown>, "signal" | "reportProgress">,
  words: string[],
  { doing, total, priority, progressOf = () => ({}) }: CommandOptions<Line>,
): Promise<{ stdout: string; stderr: string }> {
  await reportProgress({ doing, total });
  const onStderrLine = (line: string) => {
    if (line.startsWith("{")) void reportProgress(progressOf(JSON.parse(line))).catch(() => {});
  };
  const { ended, end } = startChildCommand(platen, words, { priority, onStderrLine });
  signal.addEventListener("abort", end);
  const { code, stdout, stderr } = await ended;
  signal.throwIfAborted();
  if (code !== 0 && !stdout.startsWith("{")) {
    const lines = stderr.split("\n").filter((line) => !line.startsWith("{"));
    if (lines.length > 1) platen.log(lines.join("\n"));
    throw conflict(lines.at(-1) ?? stderr);
  }
  return { stdout: stdout.trim(), stderr };
}
