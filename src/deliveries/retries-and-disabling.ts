import { DAY, SECOND } from "../config/units";
import { prepareInsert, prepareSql, updateRows } from "../database/rows";
import { attempts, deliveries } from "../database/schema";
import type { Platen } from "../platen";
import type { Channel, ClaimedDelivery, Delivery, Outcome } from "./channel";
import { findDelivery } from "./claims";
import { changeReceiver, disableReceiver, refreshNextDue } from "./receivers";

const DISABLE_AFTER_MS = 5 * DAY;
const GONE = 410;

export type TimedOutcome = Outcome & { at: Date; duration: number };

/** Call this in a transaction. */
export function recordOutcome(
  platen: Platen,
  channel: Channel,
  { id, receiverId }: ClaimedDelivery,
  outcome: TimedOutcome,
): void {
  const found = findDelivery(platen, id);
  if (!found) return;
  const { at, status, failure, duration, answer, signature } = outcome;
  const attempt = insertAttempt(platen, { deliveryId: id, at, status, failure, duration, answer, signature });
  setLastAttempt(platen).run(attempt.id, receiverId);
  if (!isSuccess(outcome)) recordFailure(platen, channel, found, outcome);
  else {
    markDelivered(platen).run(platen.now().getTime(), id);
    if (found.receiver.failingSince) changeReceiver(platen, receiverId, { failingSince: null });
  }
  refreshNextDue(platen, receiverId);
  channel.afterOutcome?.(platen, found, outcome);
}

// Prepared, because these statements run for each delivery.
const insertAttempt = prepareInsert(attempts);
const setLastAttempt = prepareSql<void, [attemptId: number, receiverId: number]>(
  "UPDATE receivers SET last_attempt_id = ? WHERE id = ?",
);
const markDelivered = prepareSql<void, [at: number, id: number]>(
  "UPDATE deliveries SET state = 'delivered', due_at = NULL, settled_at = ?, attempts = attempts + 1 WHERE id = ?",
);

export function isSuccess({ status }: Pick<Outcome, "status">): boolean {
  return status != null && status >= 200 && status <= 299;
}

function recordFailure(platen: Platen, channel: Channel, found: ClaimedDelivery, outcome: TimedOutcome) {
  const { receiver } = found;
  const { pauseFor, retryAfter = 0 } = outcome;
  const at = platen.now();
  const failures = found.failures + (pauseFor ? 0 : 1);
  // The pause of the receiver delays this delivery too, so the delivery itself needs no delay.
  const wait = pauseFor ? 0 : (channel.retryDelaysMs ?? platen.config.webhookRetry)[failures - 1];
  const failingSince = receiver.failingSince ?? outcome.at;
  if (channel.disablesReceivers && !receiver.failingSince)
    changeReceiver(platen, receiver.id, { failingSince });
  if (pauseFor) changeReceiver(platen, receiver.id, { pausedUntil: new Date(at.getTime() + pauseFor) });

  // A receiver that was removed and added again is enabled, but its older deliveries are no longer sent.
  const isOff = receiver.disabledAt !== null || receiver.removedAt !== null || found.state !== "sending";
  const reason =
    isOff || !channel.disablesReceivers || outcome.end ? null : reasonToDisable(outcome, failingSince, at);
  const settled = { failures, dueAt: null, settledAt: at };
  if (isOff) updateDelivery(platen, found, { state: "dropped", ...settled });
  else if (outcome.end || reason !== null || wait === undefined)
    updateDelivery(platen, found, { state: outcome.end ?? "failed", ...settled });
  else {
    const dueAt = new Date(at.getTime() + Math.max(wait, retryAfter));
    updateDelivery(platen, found, { state: "pending", failures, dueAt });
  }
  if (reason !== null) disableReceiver(platen, receiver.id, at, reason);
}

function reasonToDisable({ status, failure }: Outcome, failingSince: Date, at: Date): string | null {
  if (status === GONE) return "The response was 410 Gone.";
  if (at.getTime() - failingSince.getTime() < DISABLE_AFTER_MS) return null;
  return `All attempts failed for 5 days; last failure: ${failure ?? `status ${status}`}.`;
}

function updateDelivery(platen: Platen, { id, attempts }: Delivery, fields: Partial<Delivery>): void {
  updateRows(platen, deliveries, { id }, { ...fields, attempts: attempts + 1 });
}

const MAX_RETRY_AFTER_MS = DAY;

/** Retry-After contains seconds or a date (RFC 9110 10.2.3). @returns milliseconds; 0 if absent or invalid */
export function retryAfterOf(header: string | undefined, at: Date): number {
  const text = header?.trim() ?? "";
  const wait = /^\d+$/.test(text) ? Number(text) * SECOND : Date.parse(text) - at.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(0, wait), MAX_RETRY_AFTER_MS);
}
