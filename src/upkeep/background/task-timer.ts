import { writeVersion } from "../../database/change-counter";
import { unlessLocked } from "../../database/transactions";
import type { Platen } from "../../platen";
import { getDamage } from "../recovery/damaged-database";

const RETRY_MS = 60_000;
const BATCH_PAUSE_MS = 50;

interface Schedule {
  regularly: [seconds: number, task: () => void][];
  /**
   * Tasks that run after a write, after the clock was set back, and when due. Each returns the time when it
   * is due next, in milliseconds since 1970.
   */
  whenDue: (() => number)[];
}

/**
 * One timer for all tasks, because each timer wakes an idle process.
 * @returns a function that runs one round; call it every second
 */
export function scheduleRounds(platen: Platen, { regularly, whenDue }: Schedule): () => void {
  let round = 0;
  let [seen, lookedAt, nextDue] = ["", 0, 0];
  return () => {
    round++;
    for (const [seconds, task] of regularly) if (round % seconds === 0) logErrors(platen, task);
    const version = writeVersion(platen);
    const at = platen.now().getTime();
    if (version === seen && at >= lookedAt && at < nextDue) return;
    [seen, lookedAt] = [version, at];
    nextDue = Math.min(...whenDue.map((task) => runTask(platen, task)?.result ?? 0));
  };
}

/** Logs errors. @returns null if the task failed, or was skipped because another process is writing */
export function runTask<Result>(platen: Platen, task: () => Result): { result: Result } | null {
  let done = null as { result: Result } | null;
  const run = () => {
    done = { result: task() };
  };
  logErrors(platen, () => unlessLocked(platen, run));
  return done;
}

function logErrors(platen: Platen, task: () => void): void {
  try {
    task();
  } catch (error) {
    const message = error instanceof Error ? error.message : error;
    platen.log(`A background task failed and will be retried: ${message}`);
  }
}

export function runEvery(platen: Platen, interval: number, task: (platen: Platen) => unknown): () => void {
  let dueAt = platen.now().getTime();
  return () => {
    if (!mayWrite(platen)) return;
    const now = platen.now().getTime();
    const wasClockSetBack = dueAt > now + interval;
    if (now < dueAt && !wasClockSetBack) return;
    dueAt = now + (runTask(platen, () => task(platen)) ? interval : RETRY_MS);
  };
}

/** @param task returns true, or a promise of true, if it must be called again after a pause */
export function inBatches(stopping: AbortSignal, task: (platen: Platen) => unknown) {
  let isRunning = false;
  const repeat = async (platen: Platen, first: unknown) => {
    isRunning = true;
    try {
      for (let result = first; (await result) === true; ) {
        await Bun.sleep(BATCH_PAUSE_MS);
        const mayRun = !stopping.aborted && mayWrite(platen);
        result = mayRun && runTask(platen, () => task(platen))?.result;
      }
    } finally {
      isRunning = false;
    }
  };
  return (platen: Platen) => {
    if (isRunning) return;
    const first = task(platen);
    if (first === true || first instanceof Promise) void repeat(platen, first);
  };
}

export const mayWrite = (platen: Platen) => getDamage(platen) === null;
