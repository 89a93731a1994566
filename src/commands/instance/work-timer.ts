import { writtenVersion } from "../../database/data-version";
import { unlessLocked } from "../../database/transactions";
import type { Platen } from "../../platen";

/** What a server does beside answering. */
interface Works {
  /** Seconds → what is done each time so many are over. */
  regularly: [seconds: number, work: () => void][];
  /** Done when something was written, where the clock was set back, and at the time that it gives, in milliseconds since 1970. */
  whenDue: (() => number)[];
}

/**
 * All of it in one timer: several would wake the process several times as often, which is most of what it costs at rest.
 * The rest is how much code runs then, for it runs cold: so what only the database and the clock can give something to do
 * costs one look at these. What another process keeps from writing is done in a later round: requests are answered
 * meanwhile.
 * @returns one round, to be called every second
 */
export function rounds(platen: Platen, { regularly, whenDue }: Works): () => void {
  let round = 0;
  let [seen, lookedAt, nextDue] = ["", 0, 0];
  return () => {
    round++;
    for (const [seconds, work] of regularly) if (round % seconds === 0) attempt(platen, work);
    const version = writtenVersion(platen);
    const at = platen.now().getTime();
    if (version === seen && at >= lookedAt && at < nextDue) return;
    [seen, lookedAt] = [version, at];
    nextDue = Math.min(...whenDue.map((work) => timeOfNext(platen, work)));
  };
}

function timeOfNext(platen: Platen, work: () => number): number {
  let next = 0;
  attempt(platen, () =>
    unlessLocked(platen, () => {
      next = work();
    }),
  );
  return next;
}

function attempt(platen: Platen, work: () => void): void {
  try {
    work();
  } catch (fault) {
    platen.log(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
  }
}
