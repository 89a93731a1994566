import { availableParallelism } from "node:os";
import type { Platen } from "../../platen";

interface Lanes {
  busy: number;
  waiting: (() => void)[];
}

const lanesOf = new WeakMap<Platen, Lanes>();

/** Runs image work as soon as a core is free for it: at most as many at once as there are cores. */
export async function inLane<Result>(platen: Platen, work: () => Promise<Result>): Promise<Result> {
  const lanes = lanesOf.get(platen) ?? { busy: 0, waiting: [] };
  lanesOf.set(platen, lanes);
  if (lanes.busy >= availableParallelism()) await new Promise<void>((go) => lanes.waiting.push(go));
  else lanes.busy++;
  try {
    return await work();
  } finally {
    const next = lanes.waiting.shift();
    if (next)
      next(); // the lane is handed over, still counted
    else lanes.busy--;
  }
}
