import type { Platen } from "../platen";

/** Work that a server does again and again beside its answers, one at a time. */
export interface RecurringTask {
  /** To be called every few seconds. */
  step(): void;
  /** Once none is under way. */
  settled(): Promise<void>;
  /** Ends what is under way, and lets nothing begin. */
  stop(): Promise<void>;
}

/**
 * Does the work at the first step and then every so many milliseconds, also where it failed, which is told.
 * @param isDueSooner asked at each step
 * @param work is given the time, and a signal at which it is to throw
 * @param complaint what is told before why it failed
 */
export function recurringTask(
  platen: Platen,
  {
    every,
    isDueSooner = () => false,
    work,
    complaint,
  }: {
    every: number;
    isDueSooner?: () => boolean;
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
      if (at < dueAt && !wasClockSetBack && !isDueSooner()) return;
      dueAt = at + every;
      running = work(at, stopping.signal)
        .catch((fault: Error) => {
          if (!stopping.signal.aborted) platen.log(`${complaint}: ${fault.message}`);
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
