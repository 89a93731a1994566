import type { Platen } from "../../platen";

const counts = new WeakMap<Platen, { requests: number; faults: number }>();

/** Requests and 500 responses since the process started; incremented by the caller. */
export function requestCounts(platen: Platen) {
  return counts.getOrInsertComputed(platen, () => ({ requests: 0, faults: 0 }));
}
