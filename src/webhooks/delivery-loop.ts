import { dataVersion } from "../database/data-version";
import { unlessLocked } from "../database/transactions";
import type { HttpClient } from "../outgoing/http-client";
import type { Platen } from "../platen";
import {
  type ClaimedDelivery,
  claimDue,
  furthestDue,
  inOutboxTransaction,
  releaseAbandonedClaims,
  releaseClaim,
} from "./delivery-claims";
import { isSuccess, recordOutcome } from "./delivery-outcomes";
import { hasUnqueuedEvents, queueEvents } from "./queueing";
import { type Outcome, sendDelivery } from "./sender";

const SECOND = 1000;

/** Requests open at once, one to each address at most (contract.md 7). */
const MOST_OPEN = 16;
/**
 * How often a running loop checks whether there is something to do, in milliseconds: a check costs microseconds, but waking
 * the process for it four times a second is most of what it costs at rest.
 */
const CHECK_EVERY = 250;
const CHECK_AT_REST_EVERY = SECOND;
/** How long requests in flight may take to finish when the program stops, in milliseconds. */
const FINISH_WITHIN = 5 * SECOND;
/** How long writing down their outcomes may take after that, in milliseconds. */
const RECORD_WITHIN = SECOND;

/** Requests begun in one pass: pages are served by the same thread, between passes. */
const BEGUN_AT_ONCE = 2;
/** Deliveries claimed together. An address that answers is sent so many in one turn, which goes on for so many milliseconds. */
const CLAIMED_TOGETHER = 16;
const TURN_ENDS_AFTER = 100;
/** Outcomes written down together at most. */
const MOST_UNRECORDED = 16;
/** Events queued in one pass. */
const QUEUED_AT_ONCE = 8;

/** Pages and clients come first for so long after each request, in milliseconds: */
const ATTENTIVE_FOR = 250;
/** one event is queued in a pass, which rests so many times as long as it took, and at least SHORTEST_REST milliseconds. */
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

/** What one address is being sent, one after the other. */
interface Turn {
  /** Claimed, and not begun. */
  left: ClaimedDelivery[];
  isOpen: boolean;
  hasFailed: boolean;
  /** The database's when they were claimed: after a change they may be wanted no more. */
  version: string;
  /** On the clock of `performance.now`; null before its first request. */
  endsAt: number | null;
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
 * @param asked how many requests this process has been sent so far: while they come the loop rests between its steps
 */
export function webhookLoop(
  platen: Platen,
  outgoing: HttpClient,
  { asked = () => 0 }: { asked?: () => number } = {},
): WebhookLoop {
  /** By webhook: those whose turn it is, until all that was claimed for it is written down. */
  const turns = new Map<number, Turn>();
  /** webhook id → the number of its last turn. */
  const served = new Map<number, number>();
  const ended: Ended[] = [];
  const stopping = new AbortController();
  let turnsSoFar = 0;
  let isStopped = false;
  let hasReleased = false;
  let nextDue = 0;
  let seen = "";
  let lookedAt = "";
  let askedSoFar = asked();
  let askedBefore = askedSoFar;
  let attentiveUntil = 0;
  let restUntil = 0;
  let cancelPass: (() => void) | undefined;
  let passed = Promise.withResolvers<void>();
  let checking: Timer | undefined;

  /** All of the loop's synchronous work. Kept short: the same thread serves pages. */
  function pass(): void {
    cancelPass = undefined;
    const began = performance.now();
    const isAsked = isAskedLately(began);
    let isDone = false;
    try {
      isDone = unlessLocked(platen, () => {
        seen = dataVersion(platen);
        recordEnded();
        if (!isStopped) goOn(isAsked);
      });
      const end = performance.now();
      const rest = isAsked || !isDone ? Math.max(SHORTEST_REST, REST_RATIO * (end - began)) : 0;
      restUntil = end + rest;
    } catch (fault) {
      platen.log(`Webhooks: ${fault instanceof Error ? fault.message : String(fault)}`);
      restUntil = performance.now() + REST_AFTER_FAULT;
    }
    if (!isDone || isDue() || turns.values().some(({ isOpen }) => !isOpen)) passSoon();
    passed.resolve();
    passed = Promise.withResolvers();
  }

  function isAskedLately(at: number): boolean {
    if (asked() !== askedSoFar) attentiveUntil = at + ATTENTIVE_FOR;
    askedSoFar = asked();
    return at < attentiveUntil;
  }

  function passSoon(): void {
    if (cancelPass) return;
    const rest = restUntil - performance.now();
    if (rest > 0) {
      const timer = setTimeout(pass, rest);
      cancelPass = () => clearTimeout(timer);
    } else {
      const immediate = setImmediate(pass);
      cancelPass = () => clearImmediate(immediate);
    }
  }

  function isDue(): boolean {
    if (isStopped || turns.size >= MOST_OPEN || nextDue === Number.POSITIVE_INFINITY) return false;
    return platen.now().getTime() >= nextDue || nextDue > furthestDue(platen);
  }

  /** In one transaction with the end of the turns that are over; what these have left is due again. */
  function recordEnded(): void {
    const over = turns
      .entries()
      .filter(([, turn]) => isOver(turn))
      .toArray();
    if (over.length === 0 && ended.length < MOST_UNRECORDED) return;
    inOutboxTransaction(platen, () => {
      for (const { claimed, outcome } of ended)
        if (outcome) recordOutcome(platen, claimed, outcome);
        else releaseClaim(platen, claimed.id);
      for (const { id } of over.flatMap(([, { left }]) => left)) releaseClaim(platen, id);
    });
    ended.length = 0;
    for (const [webhookId] of over) turns.delete(webhookId);
    if (over.length > 0) nextDue = 0;
  }

  function isOver({ left, isOpen, hasFailed, version, endsAt }: Turn): boolean {
    if (isOpen) return false;
    const isTimeUp = endsAt !== null && performance.now() >= endsAt;
    return left.length === 0 || hasFailed || isStopped || isTimeUp || version !== seen;
  }

  function goOn(isAsked: boolean): void {
    if (turns.size < MOST_OPEN && (isDue() || seen !== lookedAt)) claimTurns(isAsked);
    turns
      .values()
      .filter(({ isOpen }) => !isOpen)
      .take(BEGUN_AT_ONCE)
      .forEach(sendNext);
  }

  function claimTurns(isAsked: boolean): void {
    if (!hasReleased) releaseAbandonedClaims(platen);
    hasReleased = true;
    if (hasUnqueuedEvents(platen))
      inOutboxTransaction(platen, () => queueEvents(platen, isAsked ? 1 : QUEUED_AT_ONCE));
    const claims = claimDue(platen, {
      busy: turns,
      addresses: Math.min(isAsked ? BEGUN_AT_ONCE : MOST_OPEN, MOST_OPEN - turns.size),
      together: CLAIMED_TOGETHER,
      lastServed: (webhookId) => served.get(webhookId) ?? 0,
    });
    lookedAt = seen;
    nextDue = hasUnqueuedEvents(platen) ? 0 : claims.nextDue;
    for (const left of claims.claimed) {
      const { webhookId } = left[0];
      served.set(webhookId, ++turnsSoFar);
      turns.set(webhookId, { left, isOpen: false, hasFailed: false, version: seen, endsAt: null });
    }
  }

  function sendNext(turn: Turn): void {
    const claimed = turn.left.shift() as ClaimedDelivery;
    turn.isOpen = true;
    turn.endsAt ??= performance.now() + TURN_ENDS_AFTER;
    sendDelivery(platen, outgoing, claimed, stopping.signal).then((outcome) => {
      ended.push({ claimed, outcome });
      turn.isOpen = false;
      turn.hasFailed = outcome === null || !isSuccess(outcome);
      passSoon();
    });
  }

  function check(): void {
    if (isDue() || dataVersion(platen) !== seen) passSoon();
    const isAtRest = asked() === askedBefore;
    askedBefore = asked();
    checking = setTimeout(check, isAtRest ? CHECK_AT_REST_EVERY : CHECK_EVERY);
  }

  async function untilIdle(): Promise<void> {
    while (turns.size > 0 || isDue()) await passed.promise;
  }

  return {
    async step() {
      pass();
      await untilIdle();
    },
    start() {
      check();
    },
    async stop() {
      isStopped = true;
      clearTimeout(checking);
      const limit = setTimeout(() => stopping.abort(), FINISH_WITHIN);
      const end = Promise.withResolvers<void>();
      const last = setTimeout(end.resolve, FINISH_WITHIN + RECORD_WITHIN);
      await Promise.race([untilIdle(), end.promise]);
      clearTimeout(limit);
      clearTimeout(last);
      cancelPass?.();
    },
  };
}
