import { dataVersion } from "../database/data-version";
import { inUnsyncedTransaction } from "../database/transactions";
import type { Outgoing } from "../outgoing/request-and-answer";
import type { Platen } from "../platen";
import { type Claimed, claimDue, release, releaseClaims } from "./deliveries";
import { settle } from "./delivery-outcomes";
import { hasUnqueuedEvents, queueEvents } from "./queueing";
import { attempt, type Outcome } from "./sender";

const SECOND = 1000;

/** Requests open at once, one to each address at most (contract.md 7). */
const MOST_OPEN = 16;
/** How often a running loop looks whether there is something to do, in milliseconds; a look costs microseconds. */
const LOOK_EVERY = 250;
/** How long requests in flight may take to finish when the program stops. */
const FINISH_WITHIN = 5 * SECOND;
/** What the database may take to write down how they ended. */
const SETTLE_WITHIN = SECOND;

/** How much is taken on before whoever asks for a page is let in: requests begun, and events queued. */
const BEGUN_AT_ONCE = 2;
const QUEUED_AT_ONCE = 1;
/** After a pass it rests for that many times as long as the pass took, and no less than that, in milliseconds. */
const REST_RATIO = 10;
const SHORTEST_REST = 20;
/** How long it leaves a database alone that failed it, in milliseconds. */
const REST_AFTER_FAULT = 5 * SECOND;

export interface WebhookLoop {
  /** Sends everything that is due, and resolves when all of it is settled. */
  step(): Promise<void>;
  /** From now on sends whatever is due when it is. */
  start(): void;
  /** Begins nothing more and waits for what is open; what does not finish in time is sent again by the next run. */
  stop(): Promise<void>;
}

/** An attempt that is over. */
interface Ended {
  claimed: Claimed;
  /** Null where it was stopped. */
  outcome: Outcome | null;
}

/**
 * Turns events into deliveries, takes what is due out of the queue, sends it and settles it. All it knows lies in the
 * database, whoever wrote it; a process that dies leaves its claims behind, which are due again when a loop begins.
 */
export function webhookLoop(platen: Platen, outgoing: Outgoing): WebhookLoop {
  /** Webhooks with a request that is open, or over and not settled yet. */
  const open = new Set<number>();
  /** webhook id → when it was last served, as a count. */
  const turns = new Map<number, number>();
  const ended: Ended[] = [];
  const stopping = new AbortController();
  let served = 0;
  let isStopped = false;
  let hasReleased = false;
  let nextDue = 0;
  let seen = "";
  let restUntil = 0;
  let nextPass: Timer | undefined;
  let passed = Promise.withResolvers<void>();
  let looking: Timer | undefined;

  /** All of the loop's own work: short, and the thread's other work comes in between. */
  function pass(): void {
    nextPass = undefined;
    const began = performance.now();
    try {
      seen = dataVersion(platen);
      settleEnded();
      if (!isStopped) takeOn();
      const end = performance.now();
      restUntil = end + Math.max(SHORTEST_REST, REST_RATIO * (end - began));
    } catch (fault) {
      platen.log(`Webhooks: ${fault instanceof Error ? fault.message : String(fault)}`);
      restUntil = performance.now() + REST_AFTER_FAULT;
    }
    if (ended.length > 0 || isDue()) passSoon();
    passed.resolve();
    passed = Promise.withResolvers();
  }

  function passSoon(): void {
    nextPass ??= setTimeout(pass, Math.max(0, restUntil - performance.now()));
  }

  function isDue(): boolean {
    return !isStopped && open.size < MOST_OPEN && platen.now().getTime() >= nextDue;
  }

  function settleEnded(): void {
    if (ended.length === 0) return;
    inUnsyncedTransaction(platen, () => {
      for (const { claimed, outcome } of ended)
        if (outcome) settle(platen, claimed, outcome);
        else release(platen, claimed.id);
    });
    for (const { claimed } of ended.splice(0)) open.delete(claimed.webhookId);
  }

  function takeOn(): void {
    if (!hasReleased) releaseClaims(platen);
    hasReleased = true;
    if (hasUnqueuedEvents(platen)) inUnsyncedTransaction(platen, () => queueEvents(platen, QUEUED_AT_ONCE));
    const claims = claimDue(platen, {
      busy: open,
      most: Math.min(BEGUN_AT_ONCE, MOST_OPEN - open.size),
      turn: (webhookId) => turns.get(webhookId) ?? 0,
    });
    nextDue = hasUnqueuedEvents(platen) ? 0 : claims.nextDue;
    claims.claimed.forEach(begin);
  }

  function begin(claimed: Claimed): void {
    turns.set(claimed.webhookId, ++served);
    open.add(claimed.webhookId);
    attempt(platen, outgoing, claimed, stopping.signal).then((outcome) => {
      ended.push({ claimed, outcome });
      passSoon();
    });
  }

  function look(): void {
    if (isDue() || dataVersion(platen) !== seen) passSoon();
  }

  async function untilIdle(): Promise<void> {
    while (open.size > 0 || isDue()) await passed.promise;
  }

  return {
    async step() {
      pass();
      await untilIdle();
    },
    start() {
      look();
      looking = setInterval(look, LOOK_EVERY);
    },
    async stop() {
      isStopped = true;
      clearInterval(looking);
      const limit = setTimeout(() => stopping.abort(), FINISH_WITHIN);
      const end = Promise.withResolvers<void>();
      const last = setTimeout(end.resolve, FINISH_WITHIN + SETTLE_WITHIN);
      await Promise.race([untilIdle(), end.promise]);
      clearTimeout(limit);
      clearTimeout(last);
      clearTimeout(nextPass);
    },
  };
}
