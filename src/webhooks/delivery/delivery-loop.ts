import { SECOND } from "../../config/units";
import { unlessLocked } from "../../database/transactions";
import type { HttpClient } from "../../outgoing/http-client";
import type { Platen } from "../../platen";
import { hasUnqueuedEvents, queueEvents } from "../event-queue";
import {
  type ClaimedDelivery,
  claim,
  findDue,
  inOutboxTransaction,
  releaseAbandonedClaims,
  releaseClaim,
} from "./delivery-claims";
import { recordOutcome } from "./delivery-outcomes";
import { type Outcome, sendDelivery } from "./sender";

/** Maximum number of open requests. Each URL has at most one. */
const MAX_OPEN = 16;
/** Maximum number of events queued and requests started per pass. Between passes, the thread serves pages. */
const MAX_PER_PASS = 2;
/** The loop pauses between passes if a page was requested within this time. */
const BUSY_MS = SECOND;
const REST_MS = 5;
const RETRY_WHEN_LOCKED_MS = 20;
const RETRY_AFTER_ERROR_MS = 5 * SECOND;
/** Time limit at shutdown for open requests. Another limit applies to recording their outcomes. */
const FINISH_MS = 5 * SECOND;
const RECORD_MS = SECOND;

interface WebhookLoop {
  /** Sends everything that is due and waits until all outcomes are recorded. */
  step(): Promise<void>;
  /**
   * Starts to send what is due. It sets no timer, so call it after writes and at the returned time.
   * @returns time of the next call in milliseconds since 1970
   */
  look(): number;
  /** Waits for open requests. The next run repeats requests that do not finish in time. */
  stop(): Promise<void>;
}

/**
 * Creates deliveries, claims and sends due ones, and records outcomes. All state is in the database.
 * @param lastRequestAt time of the last request to this process, from `performance.now()`
 */
export function webhookLoop(
  platen: Platen,
  outgoing: HttpClient,
  { lastRequestAt = () => Number.NEGATIVE_INFINITY }: { lastRequestAt?: () => number } = {},
): WebhookLoop {
  /** Webhooks with an open request or an unrecorded outcome. */
  const busy = new Set<number>();
  /** Finished attempts to record. The outcome is null if shutdown aborted the attempt. */
  const ended: { claimed: ClaimedDelivery; outcome: Outcome | null }[] = [];
  const cutOff = new AbortController();
  let isStopped = false;
  let hasReleased = false;
  let nextDue = 0;
  let restUntil = 0;
  let cancelNextPass: (() => void) | undefined;
  let passed = Promise.withResolvers<void>();

  function pass(): void {
    cancelNextPass = undefined;
    let claimed: ClaimedDelivery[] = [];
    try {
      const isDone = unlessLocked(platen, () => {
        claimed = recordAndClaim();
      });
      for (const each of claimed) send(each);
      if (!isDone) rest(RETRY_WHEN_LOCKED_MS);
      else if (performance.now() - lastRequestAt() < BUSY_MS) rest(REST_MS);
      if (!isDone || isWorkLeft()) passSoon();
    } catch (error) {
      platen.log(`Webhooks: ${error instanceof Error ? error.message : String(error)}`);
      rest(RETRY_AFTER_ERROR_MS);
      passSoon();
    }
    passed.resolve();
    passed = Promise.withResolvers();
  }

  function recordAndClaim(): ClaimedDelivery[] {
    if (!hasReleased) releaseAbandonedClaims(platen);
    hasReleased = true;
    let found = findDue(platen, busy);
    let claimed: ClaimedDelivery[] = [];
    const isSomethingDue = !isStopped && (found.due.length > 0 || hasUnqueuedEvents(platen));
    if (ended.length > 0 || isSomethingDue)
      inOutboxTransaction(platen, () => {
        for (const { claimed, outcome } of ended)
          if (outcome) recordOutcome(platen, claimed, outcome);
          else releaseClaim(platen, claimed.id);
        if (isStopped) return;
        queueEvents(platen, MAX_PER_PASS);
        const recorded = new Set(ended.map(({ claimed }) => claimed.webhookId));
        found = findDue(platen, busy.difference(recorded));
        const room = MAX_OPEN - busy.size + recorded.size;
        claimed = claim(platen, found.due.splice(0, Math.min(MAX_PER_PASS, room)));
      });
    for (const { claimed } of ended.splice(0)) busy.delete(claimed.webhookId);
    for (const { webhookId } of claimed) busy.add(webhookId);
    nextDue = found.due.length > 0 || hasUnqueuedEvents(platen) ? 0 : found.nextDue;
    return claimed;
  }

  function send(claimed: ClaimedDelivery): void {
    sendDelivery(platen, outgoing, claimed, cutOff.signal).then((outcome) => {
      ended.push({ claimed, outcome });
      passSoon();
    });
  }

  function isWorkLeft(): boolean {
    return !isStopped && busy.size < MAX_OPEN && nextDue <= platen.now().getTime();
  }

  function rest(milliseconds: number): void {
    restUntil = performance.now() + milliseconds;
  }

  /** Schedules one pass. */
  function passSoon(): void {
    if (cancelNextPass) return;
    const left = restUntil - performance.now();
    if (left > 0) {
      const timer = setTimeout(pass, left);
      cancelNextPass = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(pass);
      cancelNextPass = () => clearImmediate(immediate);
    }
  }

  async function untilIdle(): Promise<void> {
    while (busy.size > 0 || (cancelNextPass && !isStopped)) await passed.promise;
  }

  return {
    async step() {
      pass();
      await untilIdle();
    },
    look() {
      if (cancelNextPass) return 0;
      pass();
      return nextDue;
    },
    async stop() {
      isStopped = true;
      const limit = setTimeout(() => cutOff.abort(), FINISH_MS);
      const end = Promise.withResolvers<void>();
      const last = setTimeout(end.resolve, FINISH_MS + RECORD_MS);
      await Promise.race([untilIdle(), end.promise]);
      clearTimeout(limit);
      clearTimeout(last);
      cancelNextPass?.();
    },
  };
}
