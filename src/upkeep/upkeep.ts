import type { Platen } from "../platen";
import { checkpoints, emptyLog } from "./checkpoints";
import { forgetExpired } from "./forgetting";

/** Between two forgettings, in milliseconds. */
const FORGET_EVERY = 60 * 60 * 1000;

/** What a running server does for its folder besides serving it. `step` is to be called every few seconds. */
export function upkeep(platen: Platen): { step(): void; stop(): void } {
  const log = checkpoints(platen);
  let forgetAt = platen.now().getTime();
  return {
    step() {
      log.step();
      if (platen.now().getTime() < forgetAt) return;
      forgetExpired(platen);
      forgetAt = platen.now().getTime() + FORGET_EVERY;
    },
    stop() {
      emptyLog(platen.db);
    },
  };
}
