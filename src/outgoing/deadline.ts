import type { Failure } from "./http-client";

/** Ends a request at its time limit or by its `stop` signal. */
export interface Deadline {
  /** The signal's `reason` is the Failure. */
  readonly signal: AbortSignal;
  readonly passed: Promise<Failure>;
  clear(): void;
}

// AbortSignal.any with AbortSignal.timeout would keep memory until the timeout.
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
