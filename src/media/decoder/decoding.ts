import { availableParallelism } from "node:os";
import { MEGABYTE } from "../../config/units";
import { throttled } from "../../errors";
import type { Platen } from "../../platen";
import { DecoderEnded, performTask } from "./decoder-process";
import { type DecoderOutcome, ImageError, type Task, type TaskName, type Tasks } from "./decoder-tasks";
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
  asked: Tasks[Name]["asked"],
  { need, isUrgent = true }: { need: number; isUrgent?: boolean },
): Promise<Tasks[Name]["done"]> {
  const { alone, together, decoder } = decodingLimits(platen.config.memory);
  const task = { name, dataFolder: platen.config.data, ...asked } as Task;
  for (let attempt = 1; ; attempt++) {
    const share = attempt === 1 ? need : alone;
    try {
      const room = { need: share, together, isUrgent };
      return whatCameOf(await whenThereIsMemory(room, () => performTask(task, decoder)));
    } catch (fault) {
      if (!(fault instanceof DecoderEnded)) throw fault;
      platen.log(fault.message);
      if (attempt === ATTEMPTS) throw fault;
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: what comes back is what the task's name says
function whatCameOf(outcome: DecoderOutcome): any {
  if ("done" in outcome) return outcome.done;
  if ("pictureFault" in outcome) throw new ImageError(outcome.pictureFault);
  throw Object.assign(new Error(outcome.failed), outcome.code === undefined ? {} : { code: outcome.code });
}

const MAX_QUEUED = 1000;
const COME_AGAIN_IN = 30;

/** Number of urgent tasks allowed beyond the number of processors. */
const URGENT_BESIDE = 2;

interface Waiting {
  need: number;
  together: number;
  isUrgent: boolean;
  go: () => void;
}

/** State of the queue. The process has one, as it has one decoder. */
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
    throw throttled("Too many images are being processed.", COME_AGAIN_IN);
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
  const most = availableParallelism() + (isUrgent ? URGENT_BESIDE : 0);
  return state.running < most && state.taken + need <= together;
}
