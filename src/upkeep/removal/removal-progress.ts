import { yieldToEventLoop } from "../../runtime/yielding";

/** Progress of a removal, in rows that are copied, indexed or deleted. */
export interface RemovalProgress {
  /** Adds rows to the total. */
  more(rows: number): void;
  /** Reports finished rows and yields to the event loop. @throws if aborted */
  step(rows: number): Promise<void>;
  /** Reports that the removal has ended. */
  end(): void;
}

export function newProgress(
  onStep: (done: number, total: number) => void = () => {},
  signal?: AbortSignal,
): RemovalProgress {
  let [done, total] = [0, 0];
  return {
    more(rows) {
      total += rows;
    },
    async step(rows) {
      done += rows;
      onStep(Math.min(done, total), total);
      await yieldToEventLoop();
      signal?.throwIfAborted();
    },
    end: () => onStep(total, total),
  };
}
