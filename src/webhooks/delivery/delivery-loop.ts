import { dataVersion } from "../../database/data-version";
import { unlessLocked } from "../../database/transactions";
import type { HttpClient } from "../../outgoing/http-client";
import type { Platen } from "../../platen";
import { SECOND } from "../../units";
import { hasUnqueuedEvents, queueEvents } from "../queueing";
import { MOST_OPEN, Turns } from "./deliveries-at-once";
import { inOutboxTransaction, releaseAbandonedClaims } from "./delivery-claims";

/** How often the loop looks by itself while it is asked for something, in milliseconds. */
const LOOK_EVERY = 250;
/** How long requests in flight may take to finish when the program stops, in milliseconds. */
const FINISH_WITHIN = 5 * SECOND;
/** How long writing down their outcomes may take after that, in milliseconds. */
const RECORD_WITHIN = SECOND;

/** Requests begun in one pass: pages are served by the same thread, between passes. */
const BEGUN_AT_ONCE = 2;
/** Events queued in one pass. */
const QUEUED_AT_ONCE = 8;

/** Pages and clients come first for so long after each request, in milliseconds: */
const ATTENTIVE_FOR = 250;
/** one event is queued in a pass, which rests a hundred times as long as it took, so that not one request in a hundred meets it; */
const REST_RATIO = 100;
/** and within these bounds, in milliseconds. */
const SHORTEST_REST = 20;
const LONGEST_REST = 250;
/** The rest after an exception, such as a full disk, in milliseconds. */
const REST_AFTER_FAULT = 5 * SECOND;

interface WebhookLoop {
  /** Sends everything that is due, and resolves when the outcome of all of it is recorded. */
  step(): Promise<void>;
  /**
   * Begins to send whatever is due, and looks again by itself as long as readers and clients ask. Sets no timer at rest:
   * to be called when something was written, and when it says.
   * @returns when it is to be called though nothing is written, in milliseconds since 1970
   */
  look(): number;
  /** Begins nothing more and waits for what is open; what does not finish in time is sent again by the next run. */
  stop(): Promise<void>;
}

/**
 * Turns events into deliveries, claims what is due, sends it and records the outcome. Its state is the database, which
 * other processes write to as well; claims of a process that died are due again when the next loop begins.
 * @param asked how many requests this process has been sent so far: while they come the loop rests between its steps
 */
export function webhookLoop(
  platen: Platen,
  outgoing: HttpClient,
  { asked = () => 0 }: { asked?: () => number } = {},
): WebhookLoop {
  const readers = readersWho(asked);
  const passes = repeated(pass);
  const turns = new Turns(platen, outgoing, passes.soon);
  let isStopped = false;
  let hasReleased = false;
  let nextDue = 0;
  let claimedAt = 0;
  let lastPart = -1;
  /** The database's versions. */
  let seen = "";
  let lookedAt = "";
  let passed = Promise.withResolvers<void>();
  let nextLook: Timer | undefined;

  /** All of the loop's synchronous work. Kept short: the same thread serves pages. */
  function pass(): void {
    const began = performance.now();
    const isAsked = readers.areAsking(began);
    let isDone = false;
    try {
      isDone = unlessLocked(platen, () => {
        seen = dataVersion(platen);
        goOn(isAsked);
      });
      passes.rest(isAsked || !isDone ? restAfter(performance.now() - began) : 0);
    } catch (fault) {
      platen.log(`Webhooks: ${fault instanceof Error ? fault.message : String(fault)}`);
      passes.rest(REST_AFTER_FAULT);
    }
    if (!isDone || isDue() || turns.isAnyWaiting) passes.soon();
    passed.resolve();
    passed = Promise.withResolvers();
  }

  function isDue(): boolean {
    if (isStopped || turns.isFull || nextDue === Number.POSITIVE_INFINITY) return false;
    const at = platen.now().getTime();
    // Where the clock was set back, what is due is asked anew.
    return at >= nextDue || at < claimedAt;
  }

  /**
   * All there is to do; while somebody asks one part of it, for they wait as long as that takes. What has ended is written
   * down first, so that each turn that is left has something to send; then the other parts take turns.
   */
  function goOn(isAsked: boolean): void {
    const others = isStopped ? [] : [queueSome, claimTurns, sendNext];
    if (recordEnded() && isAsked) return;
    for (const _ of others) if (others[++lastPart % others.length]?.(isAsked) && isAsked) return;
  }

  function recordEnded(): boolean {
    const isAnyOver = turns.recordEnded(seen);
    if (isAnyOver) nextDue = 0;
    return isAnyOver;
  }

  function queueSome(isAsked: boolean): boolean {
    if (turns.isFull || !hasUnqueuedEvents(platen)) return false;
    inOutboxTransaction(platen, () => queueEvents(platen, isAsked ? 1 : QUEUED_AT_ONCE));
    nextDue = 0;
    return true;
  }

  function claimTurns(isAsked: boolean): boolean {
    if (turns.isFull || !(isDue() || seen !== lookedAt)) return false;
    if (!hasReleased) releaseAbandonedClaims(platen);
    hasReleased = true;
    const claims = turns.claim(seen, isAsked ? BEGUN_AT_ONCE : MOST_OPEN);
    lookedAt = seen;
    claimedAt = platen.now().getTime();
    nextDue = hasUnqueuedEvents(platen) ? 0 : claims.nextDue;
    // Where somebody writes all the time, what is not sent at once is put back each time, and would never be sent.
    if (turns.wasPutBackUnsent) sendNext();
    return turns.isAnyWaiting;
  }

  function sendNext(): boolean {
    return turns.sendNext(BEGUN_AT_ONCE);
  }

  function look(): number {
    clearTimeout(nextLook);
    if (isDue() || dataVersion(platen) !== seen) passes.soon();
    if (readers.haveAskedSinceLastLook()) nextLook = setTimeout(look, LOOK_EVERY);
    return nextDue;
  }

  async function untilIdle(): Promise<void> {
    while (!turns.isEmpty || isDue()) await passed.promise;
  }

  return {
    async step() {
      pass();
      await untilIdle();
    },
    look,
    async stop() {
      isStopped = true;
      turns.stop();
      clearTimeout(nextLook);
      const limit = setTimeout(() => turns.cutOffOpen(), FINISH_WITHIN);
      const end = Promise.withResolvers<void>();
      const last = setTimeout(end.resolve, FINISH_WITHIN + RECORD_WITHIN);
      await Promise.race([untilIdle(), end.promise]);
      clearTimeout(limit);
      clearTimeout(last);
      passes.cancel();
    },
  };
}

/** @param took milliseconds; a pass that the machine held up says little of the next */
function restAfter(took: number): number {
  return Math.min(Math.max(SHORTEST_REST, REST_RATIO * took), LONGEST_REST);
}

/** @param asked how many requests they have sent so far */
function readersWho(asked: () => number) {
  let [atLastPass, atLastLook] = [asked(), asked()];
  let attentiveUntil = 0;
  return {
    /** @param at on the clock of `performance.now` */
    areAsking(at: number): boolean {
      if (asked() !== atLastPass) attentiveUntil = at + ATTENTIVE_FOR;
      atLastPass = asked();
      return at < attentiveUntil;
    },
    haveAskedSinceLastLook(): boolean {
      const isAnythingNew = asked() !== atLastLook;
      atLastLook = asked();
      return isAnythingNew;
    },
  };
}

/** Work that is done again and again, in turns of their own. */
function repeated(work: () => void) {
  let restUntil = 0;
  let cancelNext: (() => void) | undefined;
  function now(): void {
    cancelNext = undefined;
    work();
  }
  return {
    /** Once, after its rest, however often it is called until then. */
    soon(): void {
      if (cancelNext) return;
      const left = restUntil - performance.now();
      if (left > 0) {
        const timer = setTimeout(now, left);
        cancelNext = () => clearTimeout(timer);
      } else {
        const immediate = setImmediate(now);
        cancelNext = () => clearImmediate(immediate);
      }
    },
    /** @param milliseconds for which it is not to be done, from now on */
    rest(milliseconds: number): void {
      restUntil = performance.now() + milliseconds;
    },
    cancel(): void {
      cancelNext?.();
    },
  };
}
