import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { Subprocess } from "bun";
import { KILOBYTE, MEGABYTE, SECOND } from "../../config/units";
import { throttled } from "../../errors";
import type { Platen } from "../../platen";
import { PROGRAM } from "../../runtime/child-command";
import type { DecoderOutcome, Task, TaskName, Tasks } from "./decoder-tasks";
import { DECODER, ImageError } from "./decoder-tasks";

/** Retries run alone, so that they get all the memory. */
const ATTEMPTS = 3;

export const SMALL_TASK_BYTES = 24 * MEGABYTE;

/**
 * @param need memory in bytes
 * @throws ImageError; DecoderEnded if the decoder ends in every attempt; Refusal (throttled) if the queue is
 * full; an error with `code` such as ENOSPC
 */
export async function runDecoderTask<Name extends TaskName>(
  platen: Platen,
  name: Name,
  input: Tasks[Name]["input"],
  { need, purpose = "upload" }: { need: number; purpose?: Purpose },
): Promise<Tasks[Name]["done"]> {
  const { alone, together, decoder } = decodingLimits(platen.config.memory);
  const task = { name, dataFolder: platen.config.data, ...input } as Task;
  for (let attempt = 1; ; attempt++) {
    const memory = attempt === 1 ? need : alone;
    try {
      const demand = { need: memory, together, purpose };
      return resultOrThrow(await whenThereIsMemory(demand, () => performTask(task, decoder)));
    } catch (error) {
      if (!(error instanceof DecoderEnded)) throw error;
      platen.log(error.message);
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

const SERVER_BYTES = 150 * MEGABYTE;
const DECODER_BYTES = 110 * MEGABYTE;
const MIN_BYTES = 64 * MEGABYTE;
const MAX_BYTES_ALONE = 2048 * MEGABYTE;
const MAX_BYTES_TOGETHER = 256 * MEGABYTE;

/**
 * @param memory of the whole machine or container, in bytes
 * @returns limits in bytes
 */
export function decodingLimits(memory: number) {
  const alone = Math.min(MAX_BYTES_ALONE, Math.max(MIN_BYTES, memory - SERVER_BYTES - DECODER_BYTES));
  return { alone, together: Math.min(MAX_BYTES_TOGETHER, alone), decoder: alone + DECODER_BYTES };
}

// biome-ignore lint/suspicious/noExplicitAny: the task's name determines the type
function resultOrThrow(outcome: DecoderOutcome): any {
  if ("done" in outcome) return outcome.done;
  if ("imageError" in outcome) throw new ImageError(outcome.imageError);
  throw Object.assign(new Error(outcome.failed), outcome.code === undefined ? {} : { code: outcome.code });
}

const MAX_QUEUED = 1000;
const RETRY_AFTER_SECONDS = 30;

const EXTRA_URGENT_TASKS = 2;

export type Purpose = "upload" | "rendition" | "thumbnail" | "card";

interface Demand {
  need: number;
  together: number;
  purpose: Purpose;
}

interface QueuedTask extends Demand {
  start: () => void;
}

/** Most urgent first. Anybody can request many renditions and cards. They must not delay an upload. */
const queues: Record<Purpose, QueuedTask[]> = { upload: [], rendition: [], thumbnail: [], card: [] };

const state = { running: 0, memory: 0 };

/** Work that needs more than `together` runs alone. @throws Refusal (throttled) if the queue is full */
export async function whenThereIsMemory<Result>(demand: Demand, work: () => Promise<Result>) {
  const queue = queues[demand.purpose];
  if (queue.length >= MAX_QUEUED)
    throw throttled("Too many images are being processed.", RETRY_AFTER_SECONDS);
  await new Promise<void>((start) => {
    queue.push({ ...demand, start });
    admit();
  });
  try {
    return await work();
  } finally {
    state.running--;
    state.memory -= demand.need;
    admit();
  }
}

function admit(): void {
  for (;;) {
    const queue = Object.values(queues).find(({ length }) => length > 0);
    const next = queue?.[0];
    if (!queue || !next || !fits(next)) return;
    queue.shift();
    state.running++;
    state.memory += next.need;
    next.start();
  }
}

function fits({ need, together, purpose }: QueuedTask): boolean {
  if (state.running === 0) return true;
  const isUrgent = purpose === "upload" || purpose === "rendition";
  const maxTasks = availableParallelism() + (isUrgent ? EXTRA_URGENT_TASKS : 0);
  return state.running < maxTasks && state.memory + need <= together;
}

const IDLE_TIMEOUT_MS = 60 * SECOND;
const TASK_TIMEOUT_MS = 300 * SECOND;
const MEMORY_CHECK_MS = SECOND / 4;

/** Makes glibc return freed memory. By default, each thread keeps its freed memory. */
const MALLOC_ENVIRONMENT = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

export class DecoderEnded extends Error {}

interface Decoder {
  child: Subprocess;
  pending: Map<number, PromiseWithResolvers<DecoderOutcome> & { deadline: number }>;
  limit: number;
  watch: Timer;
  idleTimer?: Timer;
}

/** One per process, because decoders share the machine's memory. */
let decoder: Decoder | null = null;
let lastId = 0;

function performTask(task: Task, limit: number): Promise<DecoderOutcome> {
  decoder ??= start();
  const current = decoder;
  current.limit = limit;
  clearTimeout(current.idleTimer);
  // Keeps the process alive, so that a command does not exit before its images are done.
  current.child.ref();
  const id = ++lastId;
  const outcome = Promise.withResolvers<DecoderOutcome>();
  current.pending.set(id, { ...outcome, deadline: performance.now() + TASK_TIMEOUT_MS });
  try {
    current.child.send({ id, task });
  } catch {
    // The decoder has crashed, but `onExit` has not run yet.
    end(current, "before it received the task");
  }
  return outcome.promise;
}

function start(): Decoder {
  const started: Decoder = {
    pending: new Map(),
    limit: Number.POSITIVE_INFINITY,
    child: Bun.spawn([...PROGRAM, DECODER], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
      env: { ...process.env, ...MALLOC_ENVIRONMENT },
      ipc: ({ id, outcome }: { id: number; outcome: DecoderOutcome }) => {
        started.pending.get(id)?.resolve(outcome);
        started.pending.delete(id);
        if (started.pending.size === 0) endWhenIdle(started);
      },
      onExit: (_child, _code, signal) =>
        end(started, signal === null ? "unexpectedly" : `by signal ${signal}`),
    }),
    // Set after `child`, so that no timer is left if the spawn fails.
    watch: setInterval(() => endIfTooLarge(started), MEMORY_CHECK_MS),
  };
  started.watch.unref();
  return started;
}

function endWhenIdle(idle: Decoder): void {
  idle.child.unref();
  idle.idleTimer = setTimeout(() => end(idle, "because it was idle"), IDLE_TIMEOUT_MS);
  idle.idleTimer.unref();
}

function endIfTooLarge(active: Decoder): void {
  const oldest = active.pending.values().next().value;
  if (oldest && performance.now() > oldest.deadline) end(active, "because a picture took too long");
  else if (memoryOf(active.child.pid) > active.limit) end(active, "because it took too much memory");
}

function end(ended: Decoder, why: string): void {
  ended.child.kill("SIGKILL");
  if (decoder === ended) decoder = null;
  clearInterval(ended.watch);
  clearTimeout(ended.idleTimer);
  for (const { reject } of ended.pending.values())
    reject(new DecoderEnded(`The image decoder ended ${why}.`));
  ended.pending.clear();
}

function memoryOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes ?? 0) * KILOBYTE;
  } catch {
    return 0;
  }
}
