import type { Platen } from "../../platen";

/** Since the process began. */
interface RequestCounts {
  requests: number;
  /** Answered 500: faults of ours. */
  faults: number;
}

const counts = new WeakMap<Platen, RequestCounts>();

/** To be counted up by whoever answers. */
export function requestCounts(platen: Platen): RequestCounts {
  const counted = counts.get(platen) ?? { requests: 0, faults: 0 };
  counts.set(platen, counted);
  return counted;
}
