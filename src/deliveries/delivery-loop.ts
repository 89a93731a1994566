import { SECOND } from "../config/units";
import { unlessLocked } from "../database/transactions";
import type { HttpClient } from "../outgoing/http-client";
import type { Platen } from "../platen";
import type { Channel, ClaimedDelivery, Outcome, Receiver } from "./channel";
import {
  claim,
  findDue,
  findWaitingChannels,
  inOutboxTransaction,
  releaseAbandonedClaims,
  releaseClaim,
} from "./claims";
import { hasUnqueuedEvents, queueEvents } from "./events-and-debouncing";
import { refreshNextDue } from "./receivers";
import { recordOutcome, type TimedOutcome } from "./retries-and-disabling";

/** Events queued per channel, and requests started, in one pass. Pages are served between passes. */
const MAX_PER_PASS = 2;
/** The loop pauses between passes if a request arrived within this time. */
const BUSY_MS = SECOND;
const REST_MS = 5;
/** A sync blocks the thread, so a longer pause keeps requests fast. */
const REST_AFTER_SYNC_MS = 500;
const RETRY_WHEN_LOCKED_MS = 20;
const RETRY_AFTER_ERROR_MS = 5 * SECOND;
/** At shutdown: limit for open requests, and then for recording their outcomes. */
const FINISH_MS = 5 * SECOND;
const RECORD_MS = SECOND;

/** @param lastRequestAt time of the last request to this process, from `performance.now()` */
export function deliveryLoop(
  platen: Platen,
  channels: readonly Channel[],
  outgoing: HttpClient,
  { lastRequestAt = () => Number.NEGATIVE_INFINITY }: { lastRequestAt?: () => number } = {},
) {
  const busy = new Map<Receiver["id"], Channel>();
  const ended: { channel: Channel; claimed: ClaimedDelivery; outcome: TimedOutcome | null }[] = [];
  const starts = startLog(platen);
  const cutOff = new AbortController();
  let isStopped = false;
  let lastPassAt = Number.POSITIVE_INFINITY;
  let nextDue = 0;
  let wasSynced = false;
  let restUntil = 0;
  let cancelNextPass: (() => void) | undefined;
  let passed = Promise.withResolvers<void>();

  function pass(): void {
    cancelNextPass = undefined;
    let claimed: [Channel, ClaimedDelivery][] = [];
    try {
      const isDone = unlessLocked(platen, () => {
        claimed = recordAndClaim();
      });
      for (const [channel, delivery] of claimed) send(channel, delivery);
      if (!isDone) rest(RETRY_WHEN_LOCKED_MS);
      else if (performance.now() - lastRequestAt() < BUSY_MS) rest(wasSynced ? REST_AFTER_SYNC_MS : REST_MS);
      const isWorkLeft = !isStopped && nextDue <= platen.now().getTime();
      if (!isDone || isWorkLeft) passSoon();
    } catch (error) {
      platen.log(`Deliveries: ${error instanceof Error ? error.message : String(error)}`);
      rest(RETRY_AFTER_ERROR_MS);
      passSoon();
    }
    passed.resolve();
    passed = Promise.withResolvers();
  }

  function recordAndClaim(): [Channel, ClaimedDelivery][] {
    const at = platen.now().getTime();
    if (lastPassAt === Number.POSITIVE_INFINITY) releaseAbandonedClaims(platen, channels);
    // True in the first pass too, because stored times may be missing, or from a clock that was ahead.
    if (at < lastPassAt) refreshNextDue(platen);
    lastPassAt = at;
    const claimed: [Channel, ClaimedDelivery][] = [];
    const waiting = isStopped ? [] : findWaitingChannels(platen, channels);
    const working = waiting.filter((channel) => nextDueOf(channel) <= at);
    const isDurable = working.some(
      (channel) => channel.isSentOnce && findDue(platen, channel, busyIds()).due.length > 0,
    );
    wasSynced = isDurable;
    if (ended.length > 0 || working.length > 0)
      inOutboxTransaction(platen, isDurable, () => {
        for (const { channel, claimed, outcome } of ended)
          if (outcome) recordOutcome(platen, channel, claimed, outcome);
          else releaseClaim(platen, claimed);
        const recorded = new Set(ended.map(({ claimed }) => claimed.receiverId));
        for (const channel of waiting) {
          queueEvents(platen, channel, MAX_PER_PASS);
          if (!channel.isSentOnce || isDurable) claimDue(channel, recorded, claimed);
        }
      });
    for (const { claimed } of ended.splice(0)) busy.delete(claimed.receiverId);
    for (const [channel, { receiverId }] of claimed) {
      busy.set(receiverId, channel);
      starts.add(channel);
    }
    nextDue = Math.min(...findWaitingChannels(platen, channels).map(nextDueOf));
    return claimed;
  }

  function claimDue(channel: Channel, recorded: ReadonlySet<number>, claimed: [Channel, ClaimedDelivery][]) {
    const open = busyIds(channel).difference(recorded).size;
    const room = Math.min(MAX_PER_PASS - claimed.length, channel.maxOpen - open, starts.available(channel));
    if (room <= 0) return;
    const { due } = findDue(platen, channel, busyIds().difference(recorded));
    for (const id of due.slice(0, room)) {
      const delivery = claim(platen, id);
      if (delivery) claimed.push([channel, delivery]);
    }
  }

  function busyIds(channel?: Channel): Set<number> {
    return new Set([...busy].filter(([, of]) => !channel || of === channel).map(([id]) => id));
  }

  /**
   * Milliseconds since 1970. Infinity if nothing is planned, or if nothing can start before a delivery ends.
   */
  function nextDueOf(channel: Channel): number {
    if (hasUnqueuedEvents(platen, channel)) return 0;
    const { due, nextDue } = findDue(platen, channel, busyIds());
    if (due.length === 0) return nextDue;
    if (busyIds(channel).size >= channel.maxOpen) return Number.POSITIVE_INFINITY;
    return starts.nextAt(channel);
  }

  function send(channel: Channel, claimed: ClaimedDelivery): void {
    const at = platen.now();
    const began = performance.now();
    Promise.try(() => channel.send(platen, claimed, { at, outgoing, stop: cutOff.signal }))
      .catch((error: Error): Outcome => ({ failure: error.message }))
      .then((outcome) => {
        const timed = outcome && { at, duration: Math.round(performance.now() - began), ...outcome };
        ended.push({ channel, claimed, outcome: timed });
        passSoon();
      });
  }

  function rest(milliseconds: number): void {
    restUntil = performance.now() + milliseconds;
  }

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
    async step(): Promise<void> {
      pass();
      await untilIdle();
    },
    /**
     * Sets no timer for later deliveries: call this after writes, and at the returned time.
     * @returns time of the next call in milliseconds since 1970; 0 if a pass is already planned
     */
    sendDue(): number {
      if (cancelNextPass) return 0;
      pass();
      return nextDue;
    },
    /**
     * Waits a few seconds for open requests. The next start repeats unfinished deliveries (but see
     * `isSentOnce`).
     */
    async stop(): Promise<void> {
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

function startLog(platen: Platen) {
  /** Group → times of recent starts, in milliseconds since 1970. */
  const times = new Map<string, number[]>();
  /** Reads the pace each time, because settings may change while the server runs. */
  const paceOf = ({ name, pace = () => ({ starts: Number.POSITIVE_INFINITY, within: 0 }) }: Channel) => {
    const { starts, within, group = name } = pace(platen);
    const at = platen.now().getTime();
    const recent = (times.get(group) ?? []).filter((time) => time <= at && time > at - within);
    times.set(group, recent);
    return { starts, within, recent };
  };
  return {
    add(channel: Channel): void {
      paceOf(channel).recent.push(platen.now().getTime());
    },
    available(channel: Channel): number {
      const { starts, recent } = paceOf(channel);
      return starts - recent.length;
    },
    /** Milliseconds since 1970; 0 for now. */
    nextAt(channel: Channel): number {
      const { starts, within, recent } = paceOf(channel);
      return recent.length < starts ? 0 : (recent.at(-starts) as number) + within;
    },
  };
}
