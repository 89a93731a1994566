import { yieldToEventLoop } from "../../runtime/yielding";

/** How far a removal is, in rows that are copied, found again or deleted. */
export interface RemovalProgress {
  /** There is so much more to do than was known. */
  more(rows: number): void;
  /** So much of it is done; others have their turn. @throws what ends it between two steps */
  step(rows: number): Promise<void>;
  /** All of it is done. */
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
