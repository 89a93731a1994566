import { dataVersion } from "../database/data-version";
import { inUnsyncedTransaction } from "../database/transactions";
import type { HttpClient } from "../outgoing/http-client";
import type { Platen } from "../platen";
import {
  type ClaimedDelivery,
  claimDue,
  furthestDue,
  releaseAbandonedClaims,
  releaseClaim,
} from "./delivery-claims";
import { recordOutcome } from "./delivery-outcomes";
import { hasUnqueuedEvents, queueEvents } from "./queueing";
import { type Outcome, sendDelivery } from "./sender";

const SECOND = 1000;

/** Requests open at once, one to each address at most (contract.md 7). */
const MOST_OPEN = 16;
/** How often a running loop checks whether there is something to do, in milliseconds; a check costs microseconds. */
const CHECK_EVERY = 250;
/** How long requests in flight may take to finish when the program stops, in milliseconds. */
const FINISH_WITHIN = 5 * SECOND;
/** How long writing down their outcomes may take after that, in milliseconds. */
const RECORD_WITHIN = SECOND;

/** Requests begun and events queued in one pass: pages are served by the same thread, between passes. */
const BEGUN_AT_ONCE = 2;
const QUEUED_AT_ONCE = 1;
/** The rest after a pass: so many times as long as the pass took, and at least SHORTEST_REST milliseconds. */
const REST_RATIO = 10;
const SHORTEST_REST = 20;
/** The rest after an exception, such as a full disk, in milliseconds. */
const REST_AFTER_FAULT = 5 * SECOND;

export interface WebhookLoop {
  /** Sends everything that is due, and resolves when the outcome of all of it is recorded. */
  step(): Promise<void>;
  /** From now on sends whatever is due when it is. */
  start(): void;
  /** Begins nothing more and waits for what is open; what does not finish in time is sent again by the next run. */
  stop(): Promise<void>;
}

/** An attempt that is over, and not written down yet. */
interface Ended {
  claimed: ClaimedDelivery;
  /** Null where it was stopped: then it counts as not tried. */
  outcome: Outcome | null;
}

/**
 * Turns events into deliveries, claims what is due, sends it and records the outcome. Its state is the database, which
 * other processes write to as well; claims of a process that died are due again when the next loop begins.
 */
export function webhookLoop(platen: Platen, outgoing: HttpClient): WebhookLoop {
  /** Webhooks with a request that is open, or over and not written down yet. */
  const open = new Set<number>();
  /** webhook id → the number of the request it was last served with. */
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
  let checking: Timer | undefined;

  /** All of the loop's synchronous work. Kept short: the same thread serves pages. */
  function pass(): void {
    nextPass = undefined;
    const began = performance.now();
    try {
      seen = dataVersion(platen);
      recordEnded();
      if (!isStopped) beginDue();
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
    if (isStopped || open.size >= MOST_OPEN || nextDue === Number.POSITIVE_INFINITY) return false;
    return platen.now().getTime() >= nextDue || nextDue > furthestDue(platen);
  }

  function recordEnded(): void {
    if (ended.length === 0) return;
    inUnsyncedTransaction(platen, () => {
      for (const { claimed, outcome } of ended)
        if (outcome) recordOutcome(platen, claimed, outcome);
        else releaseClaim(platen, claimed.id);
    });
    for (const { claimed } of ended.splice(0)) open.delete(claimed.webhookId);
  }

  function beginDue(): void {
    if (!hasReleased) releaseAbandonedClaims(platen);
    hasReleased = true;
    if (hasUnqueuedEvents(platen)) inUnsyncedTransaction(platen, () => queueEvents(platen, QUEUED_AT_ONCE));
    const claims = claimDue(platen, {
      busy: open,
      most: Math.min(BEGUN_AT_ONCE, MOST_OPEN - open.size),
      lastServed: (webhookId) => turns.get(webhookId) ?? 0,
    });
    nextDue = hasUnqueuedEvents(platen) ? 0 : claims.nextDue;
    claims.claimed.forEach(begin);
  }

  function begin(claimed: ClaimedDelivery): void {
    turns.set(claimed.webhookId, ++served);
    open.add(claimed.webhookId);
    sendDelivery(platen, outgoing, claimed, stopping.signal).then((outcome) => {
      ended.push({ claimed, outcome });
      passSoon();
    });
  }

  function check(): void {
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
      check();
      checking = setInterval(check, CHECK_EVERY);
    },
    async stop() {
      isStopped = true;
      clearInterval(checking);
      const limit = setTimeout(() => stopping.abort(), FINISH_WITHIN);
      const end = Promise.withResolvers<void>();
      const last = setTimeout(end.resolve, FINISH_WITHIN + RECORD_WITHIN);
      await Promise.race([untilIdle(), end.promise]);
      clearTimeout(limit);
      clearTimeout(last);
      clearTimeout(nextPass);
    },
  };
}
