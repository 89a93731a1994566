import { availableParallelism } from "node:os";
import type { Platen } from "../../platen";

interface Pool {
  busy: number;
  waiting: (() => void)[];
}

const pools = new WeakMap<Platen, Pool>();

/** Runs image work when its turn comes: as many at once as there are cores, the rest in the order they came. */
export async function inImagePool<Result>(platen: Platen, work: () => Promise<Result>): Promise<Result> {
  const pool = pools.get(platen) ?? { busy: 0, waiting: [] };
  pools.set(platen, pool);
  if (pool.busy >= availableParallelism()) await new Promise<void>((go) => pool.waiting.push(go));
  else pool.busy++;
  try {
    return await work();
  } finally {
    const next = pool.waiting.shift();
    if (next)
      next(); // takes this one's place, so `busy` stays as it is
    else pool.busy--;
  }
}
