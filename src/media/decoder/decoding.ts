import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { KILOBYTE, MEGABYTE, SECOND } from "../../config/units";
import { throttled } from "../../errors";
import type { Platen } from "../../platen";
import {
  DECODER,
  type DecoderOutcome,
  ImageError,
  type Task,
  type TaskName,
  type Tasks,
} from "./decoder-tasks";
import { decodingLimits } from "./memory-estimate";

/** Maximum number of attempts. After a crash, the retry runs alone. */
const ATTEMPTS = 3;

/** Memory for reading a header or drawing a card. */
export const SMALL_TASK_BYTES = 24 * MEGABYTE;

/**
 * Runs a task in the decoder process. A crash there does not stop the server.
 * @param need memory in bytes
 * @param isUrgent whether a user or page waits for the result
 * @throws ImageError; DecoderEnded if every attempt crashes; Refusal (throttled) if the queue is full; an error with
 * `code` such as ENOSPC
 */
export async function runDecoderTask<Name extends TaskName>(
  platen: Platen,
  name: Name,
  input: Tasks[Name]["input"],
  { need, isUrgent = true }: { need: number; isUrgent?: boolean },
): Promise<Tasks[Name]["done"]> {
  const { alone, together, decoder } = decodingLimits(platen.config.memory);
  const task = { name, dataFolder: platen.config.data, ...input } as Task;
  for (let attempt = 1; ; attempt++) {
    const share = attempt === 1 ? need : alone;
    try {
      const room = { need: share, together, isUrgent };
      return resultOrThrow(await whenThereIsMemory(room, () => performTask(task, decoder)));
    } catch (error) {
      if (!(error instanceof DecoderEnded)) throw error;
      platen.log(error.message);
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the task's name determines the type
function resultOrThrow(outcome: DecoderOutcome): any {
  if ("done" in outcome) return outcome.done;
  if ("imageError" in outcome) throw new ImageError(outcome.imageError);
  throw Object.assign(new Error(outcome.failed), outcome.code === undefined ? {} : { code: outcome.code });
}

const MAX_QUEUED = 1000;
const RETRY_AFTER_SECONDS = 30;

/** Number of urgent tasks allowed beyond the number of processors. */
const EXTRA_URGENT_TASKS = 2;

interface Waiting {
  need: number;
  together: number;
  isUrgent: boolean;
  go: () => void;
}

/** The queue of this process, which has one decoder. */
const state = { running: 0, taken: 0, urgent: [] as Waiting[], patient: [] as Waiting[] };

/**
 * Runs work as soon as its memory is available, urgent work first. Work that needs more than `together` runs alone.
 * @param need memory of this work in bytes
 * @param together memory of all parallel work in bytes
 * @throws Refusal (throttled) if the queue is full
 */
export async function whenThereIsMemory<Result>(
  { need, together, isUrgent }: { need: number; together: number; isUrgent: boolean },
  work: () => Promise<Result>,
): Promise<Result> {
  if (state.urgent.length + state.patient.length >= MAX_QUEUED)
    throw throttled("Too many images are being processed.", RETRY_AFTER_SECONDS);
  await new Promise<void>((go) => {
    (isUrgent ? state.urgent : state.patient).push({ need, together, isUrgent, go });
    admit();
  });
  try {
    return await work();
  } finally {
    state.running--;
    state.taken -= need;
    admit();
  }
}

function admit(): void {
  for (;;) {
    const queue = state.urgent.length > 0 ? state.urgent : state.patient;
    const [next] = queue;
    if (!next || !fits(next)) return;
    queue.shift();
    state.running++;
    state.taken += next.need;
    next.go();
  }
}

function fits({ need, together, isUrgent }: Waiting): boolean {
  if (state.running === 0) return true;
  const most = availableParallelism() + (isUrgent ? EXTRA_URGENT_TASKS : 0);
  return state.running < most && state.taken + need <= together;
}

/** Idle time after which the decoder ends. A new start takes time. */
const IDLE_TIMEOUT_MS = 60 * SECOND;
/** Maximum duration of a task. The largest images take about a minute on a slow machine. */
const TASK_TIMEOUT_MS = 300 * SECOND;
const MEMORY_CHECK_MS = SECOND / 4;
/** An idle decoder that holds more than the memory limit divided by this is replaced. */
const IDLE_MEMORY_DIVISOR = 3;

/** Makes glibc return freed memory. By default it keeps freed memory for each thread. */
const MALLOC_ENVIRONMENT = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** The decoder crashed, or was killed because it exceeded memory or time. */
export class DecoderEnded extends Error {}

interface Decoder {
  child: Subprocess;
  input: Map<
    number,
    { tell: (outcome: DecoderOutcome) => void; fail: (error: DecoderEnded) => void; until: number }
  >;
  limit: number;
  watch: Timer;
  rest?: Timer;
}

/** The process has a single decoder, because decoders share the machine's memory. */
let decoder: Decoder | null = null;
let lastId = 0;

/**
 * Sends a task to the decoder and starts one if none runs.
 * @param limit maximum memory of the decoder in bytes
 * @throws DecoderEnded
 */
function performTask(task: Task, limit: number): Promise<DecoderOutcome> {
  endIfTooLargeWhenIdle(limit);
  decoder ??= start();
  const asking = decoder;
  asking.limit = limit;
  clearTimeout(asking.rest);
  // Keeps the process alive, so that a command does not exit before its images are done.
  asking.child.ref();
  const id = ++lastId;
  return new Promise((tell, fail) => {
    asking.input.set(id, { tell, fail, until: performance.now() + TASK_TIMEOUT_MS });
    try {
      asking.child.send({ id, task });
    } catch {
      // The decoder has crashed, and `onExit` has not run yet.
      end(asking, "before it received the task");
    }
  });
}

/** Ends an idle decoder that holds too much memory for the next large image. */
function endIfTooLargeWhenIdle(limit: number): void {
  if (decoder?.input.size === 0 && memoryOf(decoder.child.pid) > limit / IDLE_MEMORY_DIVISOR)
    end(decoder, "to free memory");
}

function start(): Decoder {
  const program = Bun.isStandaloneExecutable
    ? [process.execPath]
    : [process.execPath, join(import.meta.dir, "../../main.ts")];
  const started: Decoder = {
    input: new Map(),
    limit: Number.POSITIVE_INFINITY,
    child: Bun.spawn([...program, DECODER], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
      env: { ...process.env, ...MALLOC_ENVIRONMENT },
      ipc: ({ id, outcome }: { id: number; outcome: DecoderOutcome }) => {
        started.input.get(id)?.tell(outcome);
        started.input.delete(id);
        if (started.input.size === 0) endWhenIdle(started);
      },
      onExit: (_child, _code, signal) =>
        forget(started, signal === null ? "unexpectedly" : `by signal ${signal}`),
    }),
    // Set after the spawn, which may fail.
    watch: setInterval(() => endIfTooLarge(started), MEMORY_CHECK_MS),
  };
  started.watch.unref();
  return started;
}

function endWhenIdle(resting: Decoder): void {
  resting.child.unref();
  resting.rest = setTimeout(() => end(resting, "because it was idle"), IDLE_TIMEOUT_MS);
  resting.rest.unref();
}

function endIfTooLarge(watched: Decoder): void {
  const oldest = watched.input.values().next().value;
  if (oldest && performance.now() > oldest.until) end(watched, "because a picture took too long");
  else if (memoryOf(watched.child.pid) > watched.limit) end(watched, "because it took too much memory");
}

function end(ended: Decoder, why: string): void {
  ended.child.kill("SIGKILL");
  forget(ended, why);
}

function forget(ended: Decoder, why: string): void {
  if (decoder === ended) decoder = null;
  clearInterval(ended.watch);
  clearTimeout(ended.rest);
  for (const { fail } of ended.input.values()) fail(new DecoderEnded(`The image decoder ended ${why}.`));
  ended.input.clear();
}

/** Returns the resident memory of a process in bytes; 0 if unknown. */
function memoryOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes ?? 0) * KILOBYTE;
  } catch {
    return 0;
  }
}
