import { eq } from "drizzle-orm";
import { keepDataVersion } from "../database/data-version";
import { jobs } from "../database/schema";
import { inUnsyncedTransaction, unlessLocked, waitForLock } from "../database/transactions";
import { asDiskFull, Refusal } from "../errors";
import type { Platen } from "../platen";
import { yieldToEventLoop } from "../runtime/yielding";
import { type AnyJobKind, type Job, type JobTask, ServerStopped } from "./job";
import { boundReport, type JobReport } from "./job-report";
import { changeJobs, endJob, listUnfinishedJobs } from "./jobs";

/** Of different kinds: a check need not wait for an import. Of one kind, one after the other. */
const MOST_AT_ONCE = 2;
/** Progress is written no more often, in milliseconds. */
const WRITTEN_EVERY = 500;

interface JobRunner {
  /**
   * Begins what waits and ends what is cancelled.
   * @returns when it is to be called again though nothing is written, in milliseconds since 1970
   */
  step(): number;
  /** Once none is under way. */
  settled(): Promise<void>;
  /** Interrupts what is under way. */
  stop(): Promise<void>;
}

/** What was told last of a job under way. */
interface Told {
  done: number;
  total: number;
  doing: string;
  report: JobReport | null;
}

interface Running {
  kind: AnyJobKind;
  controller: AbortController;
  ended: Promise<void>;
}

/** The jobs of this process, which serves the folder: what another one was doing when it ended was interrupted. */
export function jobRunner(platen: Platen, kinds: readonly AnyJobKind[]): JobRunner {
  const running = new Map<number, Running>();
  let isStopping = false;
  const kindOf = (job: Job) => kinds.find(({ name }) => name === job.kind);

  const begin = (job: Job, kind: AnyJobKind) => {
    changeJobs(platen, () =>
      platen.db
        .update(jobs)
        .set({ state: "running", begunAt: platen.now() })
        .where(eq(jobs.id, job.id))
        .run(),
    );
    const controller = new AbortController();
    const ended = run(platen, job, kind, controller.signal).finally(() => running.delete(job.id));
    running.set(job.id, { kind, controller, ended });
  };
  const look = (job: Job) => {
    const ours = running.get(job.id);
    const kind = kindOf(job);
    if (ours && job.isCancelAsked) ours.controller.abort(new Cancelled());
    else if (!ours && job.state === "running") changeJobs(platen, () => settleInterrupted(platen, job, kind));
    else if (!ours && !kind)
      changeJobs(platen, () => endJob(platen, job.id, failed("This Platen does not know such jobs.")));
    else if (!ours && kind && running.size < MOST_AT_ONCE && isFree(kind)) begin(job, kind);
  };
  const isFree = (kind: AnyJobKind) => [...running.values()].every((other) => other.kind !== kind);
  const settled = async () => void (await Promise.all([...running.values()].map(({ ended }) => ended)));
  return {
    step() {
      if (isStopping) return Number.POSITIVE_INFINITY;
      const unfinished = listUnfinishedJobs(platen);
      for (const [id, { controller }] of running)
        if (!unfinished.some((job) => job.id === id))
          controller.abort(new Cancelled("Its blog was removed."));
      for (const job of unfinished) look(job);
      // The end of one may not be written down: another process may be writing, or the disk may be full.
      return unfinished.length + running.size > 0 ? 0 : Number.POSITIVE_INFINITY;
    },
    settled,
    async stop() {
      isStopping = true;
      for (const { controller } of running.values()) controller.abort(new ServerStopped());
      await settled();
    },
  };
}

class Cancelled extends Error {}

/** Never fails: what could not be written of its end is written when the next runner finds it interrupted. */
async function run(platen: Platen, job: Job, kind: AnyJobKind, signal: AbortSignal): Promise<void> {
  const last: Told = { done: job.done, total: job.total, doing: job.doing, report: null };
  const outcome = await kind.run(platen, taskOf(platen, job, signal, last)).then(
    (report) => ({ state: "done" as const, report: boundReport(report) }),
    (fault) => outcomeOf(platen, job, fault, signal, last.report),
  );
  try {
    await waitForLock(platen);
    changeJobs(platen, () => {
      if (outcome === "interrupted") settleInterrupted(platen, { ...job, ...last }, kind);
      else endJob(platen, job.id, { ...last, doing: "", ...outcome });
    });
  } catch (fault) {
    platen.log(`The end of job ${job.id} could not be written down: ${(fault as Error).message}`);
  }
}

function taskOf(platen: Platen, job: Job, signal: AbortSignal, last: Told): JobTask<unknown> {
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    ...{ given: job.given, job, bookmark: job.bookmark, signal },
    async reportProgress({ report, ...progress }) {
      Object.assign(last, progress);
      if (report) last.report = boundReport(report);
      const at = platen.now().getTime();
      if (Math.abs(at - writtenAt) >= WRITTEN_EVERY) {
        writtenAt = at;
        writeProgress(platen, job, last);
      }
      await yieldToEventLoop();
      signal.throwIfAborted();
    },
    saveBookmark: (bookmark) =>
      keepDataVersion(platen, () =>
        platen.db.update(jobs).set({ bookmark }).where(eq(jobs.id, job.id)).run(),
      ),
  };
}

/** What a power cut takes of it was true once. On a full disk, or while another process writes, nobody hears how far it is. */
function writeProgress(platen: Platen, { id }: Job, { done, total, doing }: Told): void {
  try {
    keepDataVersion(platen, () =>
      unlessLocked(platen, () =>
        inUnsyncedTransaction(platen, () => {
          platen.db.update(jobs).set({ done, total, doing }).where(eq(jobs.id, id)).run();
        }),
      ),
    );
  } catch (fault) {
    if (!asDiskFull(fault)) throw fault;
  }
}

function outcomeOf(
  platen: Platen,
  { id, title }: Job,
  fault: unknown,
  signal: AbortSignal,
  report: JobReport | null,
) {
  if (signal.reason instanceof ServerStopped) return "interrupted";
  if (signal.reason instanceof Cancelled) return { state: "cancelled" as const, report };
  const refusal = fault instanceof Refusal ? fault : asDiskFull(fault);
  if (!refusal) platen.log(`Job ${id} (${title}) failed: ${fault instanceof Error ? fault.stack : fault}`);
  return failed(refusal?.message ?? "Something went wrong here; the server's log says what.", report);
}

/** Another process was doing it, or this one stops. Inside a transaction. */
function settleInterrupted(platen: Platen, job: Job, kind: AnyJobKind | undefined): void {
  if (job.isCancelAsked) endJob(platen, job.id, { state: "cancelled" });
  else if (kind?.isResumable)
    platen.db.update(jobs).set({ state: "queued", doing: "" }).where(eq(jobs.id, job.id)).run();
  else
    endJob(
      platen,
      job.id,
      failed("It was interrupted: the server was stopped in the middle of it.", job.report),
    );
}

/** @param report of what was done until then */
function failed(says: string, report: JobReport | null = null) {
  const told: JobReport = report ? { ...report, says: `${says} ${report.says}` } : { says };
  return { state: "failed" as const, report: boundReport(told) };
}
