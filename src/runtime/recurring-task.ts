import type { Platen } from "../platen";

/** A background task that repeats and never overlaps with itself. */
export interface RecurringTask {
  /** Call every few seconds. */
  step(): void;
  settled(): Promise<void>;
  /** Aborts the running task and starts no more. */
  stop(): Promise<void>;
}

/**
 * Runs work at the first step, then at the interval, even after an error.
 * @param every interval in milliseconds
 * @param complaint log message before the error
 */
export function recurringTask(
  platen: Platen,
  {
    every,
    work,
    complaint,
  }: {
    every: number;
    work: (at: number, signal: AbortSignal) => Promise<void>;
    complaint: string;
  },
): RecurringTask {
  const stopping = new AbortController();
  let dueAt = 0;
  let running: Promise<void> | null = null;
  return {
    step() {
      const at = platen.now().getTime();
      const wasClockSetBack = dueAt > at + every;
      if (running || stopping.signal.aborted) return;
      if (at < dueAt && !wasClockSetBack) return;
      dueAt = at + every;
      running = work(at, stopping.signal)
        .catch((error: Error) => {
          if (!stopping.signal.aborted) platen.log(`${complaint}: ${error.message}`);
        })
        .finally(() => {
          running = null;
        });
    },
    settled: async () => void (await running),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
