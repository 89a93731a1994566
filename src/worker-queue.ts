import { readFileSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { MEGABYTE, SECOND } from "./config/units";
import { busy, canOpenFiles, Refusal, tooManyOpenFilesError } from "./errors";

const IDLE_MS = 60 * SECOND;
/** A worker stops after a larger job, to free its memory. */
const MAX_REUSE_CHARACTERS = 200_000;
/** A job that waits longer is rejected instead of started. */
const MAX_WAIT_MS = 30 * SECOND;
const MAX_QUEUED = { jobs: 500, characters: 32_000_000 };
const MAX_QUEUED_READS = 16;
const RETRY_AFTER_SECONDS = 5;
/** Wall-clock limit of a job, as a multiple of its CPU time limit. */
const MAX_CLOCK_FACTOR = 10;
/** Linux reports CPU time in steps of 10 ms. */
const MIN_DEADLINE_CHECK_MS = 20;
/** Reduces memory use. Node's types lack this option of Bun. */
const SMALL_HEAP: object = { smol: true };
/** Limits the growth of the whole process, because workers in Bun have no heap limit of their own. */
const JOB_MEMORY_BYTES = 150 * MEGABYTE;
const MEMORY_CHECK_MS = 20;

/** Pause after a worker failed, while the system frees its memory. */
const FREE_MS = SECOND / 2;
const MAX_STOP_MS = 5 * SECOND;

/** Time for the event loop to receive a result that the worker sent before the deadline. */
const GRACE_MS = 10;

/** Free file descriptors needed to start a worker. With fewer, Bun aborts the process. */
const FILES_FOR_START = 16;

/** Arguments and results must be plain data, because `postMessage` clones them. */
// biome-ignore lint/suspicious/noExplicitAny: any arguments
type WorkerFunction = (...args: any[]) => unknown;

export type WorkerMessage = { ready: true; thread: string | null } | Outcome;
type Outcome =
  | { result: unknown }
  | { refused: Pick<Refusal, "kind" | "message" | "fields"> }
  | { failed: unknown };

export interface Job {
  name: string;
  args: unknown[];
}

interface Cost {
  /**
   * CPU time limit in milliseconds, because jobs take longer on a busy machine. Without /proc: wall-clock
   * time.
   */
  within: number;
  characters: number;
  /** Who causes the job, such as an account. Sources take turns; the jobs of one source run in order. */
  source: string;
}

interface QueuedJob extends Job, Cost {
  since: number;
  /** The job with the lowest number is next. */
  turn: number;
  /** Wall-clock time and CPU time at the start, in milliseconds. */
  begun: { clock: number; processor: number };
  promise: PromiseWithResolvers<unknown>;
}

export class JobLimitExceeded extends Error {
  constructor(readonly resource: "time" | "memory") {
    super(`A job took too much ${resource}.`);
  }
}

export function overrunMessage({ resource }: JobLimitExceeded, within: number): string {
  const limit =
    resource === "time" ? `${within / SECOND} seconds` : `${JOB_MEMORY_BYTES / MEGABYTE} MB of memory`;
  return `must not take more than ${limit} to read; shorten or simplify it`;
}

class WorkerQueue {
  private worker: Worker | null = null;
  /** Terminated worker whose memory may not be free yet. */
  private stopping: Worker | null = null;
  /** Path of the worker's thread below /proc; null if there is no /proc; undefined until the worker is ready. */
  private thread: string | null | undefined;
  private running: QueuedJob | null = null;
  private waiting: QueuedJob[] = [];
  /** Turn of the latest job that started. */
  private turn = 0;
  private timer: Timer | undefined;
  private memoryCheck: Timer | undefined;

  constructor(
    private readonly memory = Number.POSITIVE_INFINITY,
    private readonly maxJobs = MAX_QUEUED.jobs,
  ) {}

  /** @throws JobLimitExceeded; Refusal (busy); errors of the called function; Error if the worker crashes */
  run<Called extends WorkerFunction>(
    name: string,
    { within, characters, source }: Cost,
    ...args: Parameters<Called>
  ): Promise<ReturnType<Called>> {
    const promise = Promise.withResolvers<ReturnType<Called>>();
    const all = this.waiting.reduce((sum, job) => sum + job.characters, characters);
    const ofSource = this.waiting.filter((job) => job.source === source);
    const isFull = this.waiting.length >= this.maxJobs || all > MAX_QUEUED.characters;
    if (isFull || ofSource.length >= this.maxJobs / 2) return Promise.reject(tooBusy());
    const [since, begun] = [performance.now(), { clock: 0, processor: 0 }];
    // Later than the current turn, so that ever new sources cannot keep waiting jobs out.
    const turn = (ofSource.at(-1)?.turn ?? this.turn) + 1;
    this.waiting.push({ name, args, within, characters, source, since, turn, begun, promise } as QueuedJob);
    this.next();
    return promise.promise;
  }

  /** Does not settle the promise of a running job. */
  end(freeMs = 0): void {
    clearTimeout(this.timer);
    const { worker } = this;
    this.worker = null;
    this.thread = undefined;
    if (!worker) return;
    this.stopping = worker;
    const startNext = () => {
      if (this.stopping !== worker) return;
      this.stopping = null;
      this.next();
    };
    void worker.terminate().then(() => (freeMs > 0 ? setTimeout(startNext, freeMs) : startNext()));
    setTimeout(startNext, MAX_STOP_MS).unref();
  }

  private next(): void {
    // Waits for a stopping worker, because the next job's memory limit would include its memory.
    if (this.running || this.stopping) return;
    const job = this.nextInTurn();
    if (!job) return void this.idle();
    if (!this.worker && !canOpenFiles(FILES_FOR_START)) {
      for (const { promise } of this.waiting.splice(0)) promise.reject(tooManyOpenFilesError());
      return;
    }
    this.worker ??= this.start();
    if (this.thread === undefined) return;
    this.waiting.splice(this.waiting.indexOf(job), 1);
    this.turn = job.turn;
    this.running = job;
    job.begun = { clock: performance.now(), processor: processorTime(this.thread) ?? 0 };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.atDeadline(job), job.within);
    this.watchMemory(job);
    this.worker.ref();
    this.worker.postMessage({ name: job.name, args: job.args } satisfies Job);
  }

  private nextInTurn(): QueuedJob | undefined {
    const longAgo = performance.now() - MAX_WAIT_MS;
    for (const { since, promise } of this.waiting) if (since < longAgo) promise.reject(tooBusy());
    this.waiting = this.waiting.filter(({ since }) => since >= longAgo);
    return this.waiting.toSorted((one, other) => one.turn - other.turn)[0];
  }

  private start(): Worker {
    // Loaded on demand, so that commands start faster.
    const { Worker } = require("node:worker_threads") as typeof import("node:worker_threads");
    const worker = new Worker(new URL("./worker-thread.ts", import.meta.url), SMALL_HEAP);
    // A stopped worker may still deliver messages.
    const isOurs = () => this.worker === worker;
    worker.on("message", (said: WorkerMessage) => isOurs() && this.handleMessage(said));
    worker.on("error", (error) => isOurs() && this.fail(error as Error));
    worker.on("exit", () => isOurs() && this.fail(new Error("A worker ended unexpectedly.")));
    return worker;
  }

  private handleMessage(said: WorkerMessage): void {
    const wasLarge = (this.running?.characters ?? 0) > MAX_REUSE_CHARACTERS;
    if ("ready" in said) this.thread = said.thread;
    else if ("result" in said) this.settle(({ resolve }) => resolve(said.result));
    else if ("failed" in said) this.settle(({ reject }) => reject(said.failed));
    else {
      const { kind, message, fields } = said.refused;
      this.settle(({ reject }) => reject(new Refusal(kind, message, fields)));
    }
    if (wasLarge) this.end();
    this.next();
  }

  private fail(error: Error): void {
    this.end(FREE_MS);
    this.running ??= this.waiting.shift() ?? null;
    this.settle(({ reject }) => reject(error));
    this.next();
  }

  private atDeadline(job: QueuedJob): void {
    const used = processorTime(this.thread);
    const left = used === null ? 0 : job.within - (used - job.begun.processor);
    const hasTimeLeft = performance.now() - job.begun.clock < MAX_CLOCK_FACTOR * job.within;
    const overrun = () => this.running === job && this.fail(new JobLimitExceeded("time"));
    this.timer =
      left <= 0 || !hasTimeLeft
        ? setTimeout(overrun, GRACE_MS)
        : setTimeout(() => this.atDeadline(job), Math.max(left, MIN_DEADLINE_CHECK_MS));
  }

  private watchMemory(job: QueuedJob): void {
    if (this.memory === Number.POSITIVE_INFINITY) return;
    const limit = process.memoryUsage.rss() + this.memory;
    this.memoryCheck = setInterval(() => {
      // The memory may be that of a hostile page, also for a while after its job has failed.
      const { remote } = workerQueues;
      if (this.running !== job || remote.stopping || process.memoryUsage.rss() <= limit) return;
      (remote.running ? remote : this).fail(new JobLimitExceeded("memory"));
    }, MEMORY_CHECK_MS);
  }

  private settle(how: (promise: PromiseWithResolvers<unknown>) => void): void {
    clearTimeout(this.timer);
    clearInterval(this.memoryCheck);
    if (this.running) how(this.running.promise);
    this.running = null;
  }

  private idle(): void {
    if (!this.worker) return;
    this.worker.unref();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), IDLE_MS);
    this.timer.unref();
  }
}

/**
 * `komments` and `remote` parse input of strangers, so that saving a post never waits for it. `remote` is for
 * texts from other servers, which could come from any number of hosts and keep readers' komments out.
 */
export const workerQueues = {
  authors: new WorkerQueue(JOB_MEMORY_BYTES),
  komments: new WorkerQueue(JOB_MEMORY_BYTES),
  remote: new WorkerQueue(JOB_MEMORY_BYTES),
  disk: new WorkerQueue(),
  reader: new WorkerQueue(Number.POSITIVE_INFINITY, MAX_QUEUED_READS),
  texts: new WorkerQueue(),
};

export function endWorkers(): void {
  for (const queue of Object.values(workerQueues)) queue.end();
}

function tooBusy(): Refusal {
  return busy("The server is busy. Try again in a few seconds.", RETRY_AFTER_SECONDS);
}

/** @returns CPU time in milliseconds (utime and stime of proc(5)); null if unknown */
function processorTime(thread: string | null | undefined): number | null {
  if (!thread) return null;
  try {
    const line = readFileSync(`/proc/${thread}/stat`, "utf8");
    // The thread name in parentheses may contain spaces.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}
