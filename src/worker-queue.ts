import { closeSync, openSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { Worker } from "node:worker_threads";
import { MEGABYTE, SECOND } from "./config/units";
import { busy, Refusal, tooManyOpenFilesError } from "./errors";

/**
 * What may take as long as whoever wrote it likes runs in a thread beside the server: a function of worker-thread.ts, with
 * a deadline at which it is ended, whatever it is in the middle of. Where the system tells it (Linux), what counts is the
 * processor's time, so that nothing is refused because the machine is busy with something else. The threads belong to the process, as its memory
 * does: they know nothing of any Platen.
 */

/** After so long without work a thread ends, and gives its memory back. */
const REST = 60 * SECOND;
/** After a job of so many characters it ends at once: a megabyte may have taken it half a gigabyte, which is given back so. */
const LARGE = 200_000;
/** What has waited for longer is refused when its turn comes, so that nobody waits for minutes: browsers and proxies do not. */
const LONGEST_WAIT = 30 * SECOND;
/** Of the jobs in a queue, and of the characters of their texts: those lie in memory meanwhile. */
const MOST_WAITING = { jobs: 500, characters: 32_000_000 };
/** Queries of the reader thread: a stranger's searches keep others waiting for a few seconds at most. */
const MAX_READS_WAITING = 16;
/** In seconds. */
const RETRY_AFTER = 5;
/** So many times as long as it may take, a job is waited for in all, however little the processor had for it. */
const PATIENCE = 10;
/** At least so long until the processor's time is looked at again, in milliseconds; it is told in steps of 10. */
const SHORTEST_LOOK = 20;
/** Collects garbage sooner. Bun's own option, which the types of Node's `Worker` lack. */
const SMALL_HEAP: object = { smol: true };
/** A worker has no heap limit: so the process is watched, and the worker ended when a job makes the process grow by more. */
const JOB_MEMORY_BYTES = 150 * MEGABYTE;
const MEMORY_CHECK_MS = 20;

/** For an answer that came in time but was not read yet, since this thread was busy; in milliseconds. */
const GRACE = 10;

/** Files that can be opened still, for a thread to start: where it finds fewer than it takes, Bun ends the process. */
const FILES_FOR_START = 16;

/** A function of worker-thread.ts. What it takes and gives is copied between threads: data, no classes of ours. */
// biome-ignore lint/suspicious/noExplicitAny: whatever it takes
type Work = (...given: any[]) => unknown;

/** What a thread says: that it has loaded all it needs, and which of the system's it is; or what came of the job. */
export type WorkerMessage = { ready: true; thread: string | null } | Outcome;
type Outcome =
  | { gave: unknown }
  | { refused: Pick<Refusal, "kind" | "message" | "fields"> }
  | { failed: unknown };

export interface Job {
  name: string;
  given: unknown[];
}

/** What a job may cost. */
interface Cost {
  /** Milliseconds of the processor's time. */
  within: number;
  /** Of its texts. */
  characters: number;
  /** Whose it is: sources take turns, so that none keeps another waiting for more than a job. */
  source: string;
}

interface QueuedJob extends Job, Cost {
  since: number;
  /** When it began: by the clock, and by what its thread had used of the processor. */
  begun: { clock: number; processor: number };
  promise: PromiseWithResolvers<unknown>;
}

/** The job was ended: it took more time, or memory, than it may. */
export class JobLimitExceeded extends Error {
  constructor(readonly resource: "time" | "memory") {
    super(`A job took too much ${resource}.`);
  }
}

/** What a job that was ended is rejected for, in words that begin with "must". */
export function overrunMessage({ resource }: JobLimitExceeded, within: number): string {
  const limit =
    resource === "time" ? `${within / SECOND} seconds` : `${JOB_MEMORY_BYTES / MEGABYTE} MB of memory`;
  return `must not take more than ${limit} to read; shorten or simplify it`;
}

/** A worker, which runs while there is work, and its queue. Sources alternate; each keeps its order. */
class WorkerQueue {
  private worker: Worker | null = null;
  private isReady = false;
  private thread: string | null = null;
  private running: QueuedJob | null = null;
  private waiting: QueuedJob[] = [];
  /** source → the number of the turn it had last, while anything waits. */
  private readonly turns = new Map<string, number>();
  private turn = 0;
  /** Rings at the deadline of what is running, or at the end of the rest. */
  private timer: Timer | undefined;
  private memoryCheck: Timer | undefined;

  private readonly memory: number;
  private readonly maxJobs: number;

  /**
   * @param memory how much the process may grow while a job runs, in bytes
   * @param maxJobs that wait
   */
  constructor({ memory = Number.POSITIVE_INFINITY, maxJobs = MOST_WAITING.jobs } = {}) {
    this.memory = memory;
    this.maxJobs = maxJobs;
  }

  /**
   * Calls the function of this name in worker-thread.ts.
   * @throws Refusal: what the function throws, or busy; JobLimitExceeded
   */
  run<Called extends Work>(
    name: string,
    { within, characters, source }: Cost,
    ...given: Parameters<Called>
  ): Promise<ReturnType<Called>> {
    const promise = Promise.withResolvers<ReturnType<Called>>();
    const all = this.waiting.reduce((sum, job) => sum + job.characters, characters);
    const ofSource = this.waiting.filter((job) => job.source === source).length;
    const isFull = this.waiting.length >= this.maxJobs || all > MOST_WAITING.characters;
    if (isFull || ofSource >= this.maxJobs / 2) return Promise.reject(tooBusy());
    const [since, begun] = [performance.now(), { clock: 0, processor: 0 }];
    this.waiting.push({ name, given, within, characters, source, since, begun, promise } as QueuedJob);
    this.next();
    return promise.promise;
  }

  /** Ends the thread. What it was doing is not answered. */
  end(): void {
    clearTimeout(this.timer);
    void this.worker?.terminate();
    this.worker = null;
    this.isReady = false;
    this.thread = null;
  }

  private next(): void {
    if (this.running) return;
    const job = this.nextInTurn();
    if (!job) {
      this.turns.clear();
      this.rest();
      return;
    }
    if (!this.worker && !canOpen(FILES_FOR_START)) {
      for (const { promise } of this.waiting.splice(0)) promise.reject(tooManyOpenFilesError());
      return;
    }
    this.worker ??= this.start();
    if (!this.isReady) return;
    this.waiting.splice(this.waiting.indexOf(job), 1);
    this.turns.set(job.source, ++this.turn);
    this.running = job;
    job.begun = { clock: performance.now(), processor: processorTime(this.thread) ?? 0 };
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.atDeadline(job), job.within);
    this.watchMemory(job);
    this.worker.ref();
    this.worker.postMessage({ name: job.name, given: job.given } satisfies Job);
  }

  /** Of the source that has had no turn for longest. */
  private nextInTurn(): QueuedJob | undefined {
    const longAgo = performance.now() - LONGEST_WAIT;
    for (const { since, promise } of this.waiting) if (since < longAgo) promise.reject(tooBusy());
    this.waiting = this.waiting.filter(({ since }) => since >= longAgo);
    const turnOf = ({ source }: QueuedJob) => this.turns.get(source) ?? 0;
    return this.waiting.reduce<QueuedJob | undefined>(
      (first, job) => (first && turnOf(first) <= turnOf(job) ? first : job),
      undefined,
    );
  }

  private start(): Worker {
    // Loaded when it is needed: the server starts without it.
    const { Worker } = require("node:worker_threads") as typeof import("node:worker_threads");
    const worker = new Worker(new URL("./worker-thread.ts", import.meta.url), SMALL_HEAP);
    // One that was ended may have said something before.
    const isOurs = () => this.worker === worker;
    worker.on("message", (said: WorkerMessage) => isOurs() && this.hear(said));
    worker.on("error", (fault) => isOurs() && this.lose(fault as Error));
    worker.on("exit", () => isOurs() && this.lose(new Error("A thread ended by itself.")));
    return worker;
  }

  private hear(said: WorkerMessage): void {
    const wasLarge = (this.running?.characters ?? 0) > LARGE;
    if ("ready" in said) {
      this.isReady = true;
      this.thread = said.thread;
    } else if ("gave" in said) this.settle(({ resolve }) => resolve(said.gave));
    else if ("failed" in said) this.settle(({ reject }) => reject(said.failed));
    else this.settle(({ reject }) => reject(refusalLike(said.refused)));
    if (wasLarge) this.end();
    this.next();
  }

  /** What is running, or could not begin, fails with the thread. */
  lose(fault: Error): void {
    this.end();
    this.running ??= this.waiting.shift() ?? null;
    this.settle(({ reject }) => reject(fault));
    this.next();
  }

  private atDeadline(job: QueuedJob): void {
    const used = processorTime(this.thread);
    const left = used === null ? 0 : job.within - (used - job.begun.processor);
    const isPatient = performance.now() - job.begun.clock < PATIENCE * job.within;
    if (left <= 0 || !isPatient) this.overrun(job);
    else this.timer = setTimeout(() => this.atDeadline(job), Math.max(left, SHORTEST_LOOK));
  }

  private overrun(job: QueuedJob): void {
    this.timer = setTimeout(() => this.running === job && this.lose(new JobLimitExceeded("time")), GRACE);
  }

  private watchMemory(job: QueuedJob): void {
    if (this.memory === Number.POSITIVE_INFINITY) return;
    const limit = process.memoryUsage.rss() + this.memory;
    this.memoryCheck = setInterval(() => {
      if (this.running === job && process.memoryUsage.rss() > limit)
        this.lose(new JobLimitExceeded("memory"));
    }, MEMORY_CHECK_MS);
  }

  private settle(how: (promise: PromiseWithResolvers<unknown>) => void): void {
    clearTimeout(this.timer);
    clearInterval(this.memoryCheck);
    if (this.running) how(this.running.promise);
    this.running = null;
  }

  /** A thread at rest keeps no process alive. */
  private rest(): void {
    if (!this.worker) return;
    this.worker.unref();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.end(), REST);
    this.timer.unref();
  }
}

function canOpen(files: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < files) opened.push(openSync(devNull, "r"));
    return true;
  } catch {
    return false;
  } finally {
    for (const file of opened) closeSync(file);
  }
}

/**
 * Strangers' texts have a thread of their own: however many they send, authors do not wait for them. And so have what
 * waits for the disk, queries that read much, what reads all of the database, and what reads all texts.
 */
export const workerQueues = {
  authors: new WorkerQueue({ memory: JOB_MEMORY_BYTES }),
  strangers: new WorkerQueue({ memory: JOB_MEMORY_BYTES }),
  disk: new WorkerQueue(),
  reader: new WorkerQueue({ maxJobs: MAX_READS_WAITING }),
  checks: new WorkerQueue(),
  texts: new WorkerQueue(),
};

/** Before the process ends. */
export function endWorkers(): void {
  for (const queue of Object.values(workerQueues)) queue.end();
}

function tooBusy(): Refusal {
  return busy("The server is busy. Try again in a few seconds.", RETRY_AFTER);
}

function refusalLike({ kind, message, fields }: Pick<Refusal, "kind" | "message" | "fields">): Refusal {
  return new Refusal(kind, message, fields);
}

/** What a thread has used of the processor, in milliseconds (proc(5), utime and stime in hundredths of a second); null where none tells. */
function processorTime(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const line = readFileSync(`/proc/${thread}/stat`, "utf8");
    // The thread's name, in brackets, may hold spaces.
    const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}
