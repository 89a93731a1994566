import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import { KILOBYTE, SECOND } from "../../config/units";
import { DECODER, type DecoderOutcome, type Task } from "./decoder-tasks";

/** Starting one takes a third of a second. */
const ENDED_AFTER_REST = 60 * SECOND;
/** A picture of 100 megapixels and 100 scans takes about one minute on a slow machine. */
const LONGEST_TASK = 300 * SECOND;
const LOOK_AT_MEMORY_EVERY = SECOND / 4;
/** The part of its memory that a decoder may have before it begins. */
const MOST_KEPT = 3;

/** glibc keeps what was freed, for each thread, unless told otherwise; from so many bytes on it is the system's again. */
const GIVES_MEMORY_BACK = {
  MALLOC_ARENA_MAX: "2",
  MALLOC_MMAP_THRESHOLD_: "131072",
  MALLOC_TRIM_THRESHOLD_: "131072",
};

/** The decoder died over its work, or was ended because it took too much memory or time. */
export class DecoderEnded extends Error {}

interface Decoder {
  child: Subprocess;
  asked: Map<
    number,
    { tell: (outcome: DecoderOutcome) => void; fail: (fault: DecoderEnded) => void; until: number }
  >;
  /** In bytes of memory. */
  limit: number;
  watch: Timer;
  rest?: Timer;
}

/** One for the process: it is the machine's memory that it takes, whatever Platen asks. */
let decoder: Decoder | null = null;
let lastId = 0;

/**
 * Lets the decoder do a task; starts one where there is none.
 * @param limit how much memory the decoder may have, in bytes
 * @throws DecoderEnded
 */
export function performTask(task: Task, limit: number): Promise<DecoderOutcome> {
  endIfWorn(limit);
  decoder ??= start();
  const asking = decoder;
  asking.limit = limit;
  clearTimeout(asking.rest);
  // A command must not end before its pictures are made; a decoder at rest holds up nobody.
  asking.child.ref();
  const id = ++lastId;
  return new Promise((tell, fail) => {
    asking.asked.set(id, { tell, fail, until: performance.now() + LONGEST_TASK });
    try {
      asking.child.send({ id, task });
    } catch {
      // It has died, and this process has not been told yet.
      end(asking, "before it was asked");
    }
  });
}

/** A decoder with nothing to do that has kept much of earlier pictures leaves too little for a large one. */
function endIfWorn(limit: number): void {
  if (decoder?.asked.size === 0 && memoryOf(decoder.child.pid) > limit / MOST_KEPT)
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
    // After it: where no process can be started, none is watched.
    watch: setInterval(() => endIfTooLarge(started), LOOK_AT_MEMORY_EVERY),
  };
  started.watch.unref();
  return started;
}

function endAfterRest(resting: Decoder): void {
  resting.child.unref();
  resting.rest = setTimeout(() => end(resting, "after a rest"), ENDED_AFTER_REST);
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
  for (const { fail } of ended.asked.values())
    fail(new DecoderEnded(`The decoder of pictures ended ${why}.`));
  ended.asked.clear();
}

/** Resident, in bytes; 0 where the system does not tell. */
function memoryOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(kilobytes ?? 0) * KILOBYTE;
  } catch {
    return 0;
  }
}
