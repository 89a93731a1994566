import type { Platen } from "../platen";
import { keepViews } from "../posts/side-tables/view-counts";
import { checkpoints, emptyLog } from "./checkpoints";
import { forgetExpired } from "./retention";

const MINUTE = 60 * 1000;
const FORGET_EVERY = 60 * MINUTE;
/** What is counted in between is lost when the power goes. */
const KEEP_VIEWS_EVERY = MINUTE;

/** What a running server does for its folder besides serving it. `step` is to be called every few seconds. */
export function upkeep(platen: Platen): { step(): void; stop(): void } {
  const log = checkpoints(platen);
  const chores = [
    log.step,
    every(platen, FORGET_EVERY, forgetExpired),
    every(platen, KEEP_VIEWS_EVERY, keepViews),
  ];
  return {
    step() {
      for (const chore of chores) attempt(platen, chore);
    },
    stop() {
      attempt(platen, () => keepViews(platen));
      emptyLog(platen);
    },
  };
}

/** One chore that fails is told of in the log, and starves no other. */
function attempt(platen: Platen, chore: () => void): void {
  try {
    chore();
  } catch (fault) {
    platen.log(`Upkeep failed, and is tried again: ${fault instanceof Error ? fault.message : fault}`);
  }
}

/** @param interval in milliseconds */
function every(platen: Platen, interval: number, chore: (platen: Platen) => void): () => void {
  let dueAt = platen.now().getTime();
  return () => {
    if (platen.now().getTime() < dueAt) return;
    dueAt = platen.now().getTime() + interval;
    chore(platen);
  };
}
