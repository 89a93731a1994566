import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { KILOBYTE, SECOND } from "../../config/units";
import { DECODER, type DecoderOutcome, type Task } from "./decoder-tasks";

/** Idle time after which the decoder ends. A new start takes time. */
const IDLE_TIMEOUT_MS = 60 * SECOND;
/** Maximum duration of a task. The largest images take about a minute on a slow machine. */
const TASK_TIMEOUT_MS = 300 * SECOND;
const MEMORY_CHECK_MS = SECOND / 4;
/** Divisor of the memory limit. An idle decoder that holds more than this share is replaced. */
const IDLE_MEMORY_DIVISOR = 3;

/** Makes glibc return freed memory. By default it keeps freed memory for each thread. */
const GIVES_MEMORY_BACK = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** The decoder crashed, or was killed because it exceeded memory or time. */
export class DecoderEnded extends Error {}

interface Decoder {
  child: Subprocess;
  asked: Map<
    number,
    { tell: (outcome: DecoderOutcome) => void; fail: (fault: DecoderEnded) => void; until: number }
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
export function performTask(task: Task, limit: number): Promise<DecoderOutcome> {
  endIfWorn(limit);
  decoder ??= start();
  const asking = decoder;
  asking.limit = limit;
  clearTimeout(asking.rest);
  // Keeps the process alive, so that a command does not exit before its images are done.
  asking.child.ref();
  const id = ++lastId;
  return new Promise((tell, fail) => {
    asking.asked.set(id, { tell, fail, until: performance.now() + TASK_TIMEOUT_MS });
    try {
      asking.child.send({ id, task });
    } catch {
      // The decoder has crashed, and `onExit` has not run yet.
      end(asking, "before it was asked");
    }
  });
}

/** Ends an idle decoder that holds too much memory for the next large image. */
function endIfWorn(limit: number): void {
  if (decoder?.asked.size === 0 && memoryOf(decoder.child.pid) > limit / IDLE_MEMORY_DIVISOR)
    end(decoder, "with what it had kept");
}

function start(): Decoder {
  const program = Bun.isStandaloneExecutable
    ? [process.execPath]
    : [process.execPath, join(import.meta.dir, "../../main.ts")];
  const started: Decoder = {
    asked: new Map(),
    limit: Number.POSITIVE_INFINITY,
    child: Bun.spawn([...program, DECODER], {
      stdin: "ignore",
      stdout: "ignore",
      stderr: "inherit",
      env: { ...process.env, ...GIVES_MEMORY_BACK },
      ipc: ({ id, outcome }: { id: number; outcome: DecoderOutcome }) => {
        started.asked.get(id)?.tell(outcome);
        started.asked.delete(id);
        if (started.asked.size === 0) endAfterRest(started);
      },
      onExit: (_child, _code, signal) =>
        forget(started, signal === null ? "by itself" : `by signal ${signal}`),
    }),
    // Set after the spawn, which may fail.
    watch: setInterval(() => endIfTooLarge(started), MEMORY_CHECK_MS),
  };
  started.watch.unref();
  return started;
}

function endAfterRest(resting: Decoder): void {
  resting.child.unref();
  resting.rest = setTimeout(() => end(resting, "after a rest"), IDLE_TIMEOUT_MS);
  resting.rest.unref();
}

function endIfTooLarge(watched: Decoder): void {
  const oldest = watched.asked.values().next().value;
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
  for (const { fail } of ended.asked.values()) fail(new DecoderEnded(`The image decoder ended ${why}.`));
  ended.asked.clear();
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
