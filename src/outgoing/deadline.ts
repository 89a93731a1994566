import type { Failure } from "./http-client";

/** The end of a request, by its time limit or by its `stop` signal. */
export interface Deadline {
  /** Its `reason` is the Failure. */
  readonly signal: AbortSignal;
  readonly passed: Promise<Failure>;
  clear(): void;
}

// Not AbortSignal.any over AbortSignal.timeout: what they hold cannot be let go before the time is over.
export function startDeadline(milliseconds: number, stop?: AbortSignal): Deadline {
  const ending = new AbortController();
  const end = (kind: "timed out" | "stopped") => ending.abort({ failed: kind, kind } satisfies Failure);
  const onStop = () => end("stopped");
  const timer = setTimeout(() => end("timed out"), milliseconds);
  stop?.addEventListener("abort", onStop);
  const passed = new Promise<Failure>((tell) =>
    ending.signal.addEventListener("abort", () => tell(ending.signal.reason)),
  );
  if (stop?.aborted) onStop();
  return {
    signal: ending.signal,
    passed,
    clear: () => {
      clearTimeout(timer);
      stop?.removeEventListener("abort", onStop);
    },
  };
}
