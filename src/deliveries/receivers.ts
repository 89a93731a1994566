import { and, eq, inArray } from "drizzle-orm";
import { isNotBeingRemoved } from "../blogs/blogs";
import { DAY } from "../config/units";
import { findRow, findRows, hasValues, insertRow, prepareSql, updateRow, updateRows } from "../database/rows";
import { deliveries, receivers } from "../database/schema";
import type { Platen } from "../platen";
import type { Receiver } from "./channel";

export const TURNED_ON = { disabledAt: null, disabledBecause: null, failingSince: null, pausedUntil: null };

/** Also enables a removed or disabled receiver again. Call this in a transaction. */
export function ensureReceiver(
  platen: Platen,
  { channel, blogId, url }: Pick<Receiver, "channel" | "blogId" | "url">,
): Receiver {
  const known = findRow(platen, receivers, { channel, blogId, url });
  if (!known) return insertRow(platen, receivers, { channel, blogId, url, createdAt: platen.now() });
  const isOn = !known.removedAt && !known.disabledAt;
  return isOn ? known : changeReceiver(platen, known.id, { removedAt: null, ...TURNED_ON });
}

export function listReceivers(platen: Platen, channel: string, blogId?: number): Receiver[] {
  const values = { channel, removedAt: null, ...(blogId !== undefined && { blogId }) };
  const isListed = and(hasValues(receivers, values), isNotBeingRemoved(receivers.blogId));
  return findRows(platen, receivers, isListed, { orderBy: [receivers.blogId, receivers.id] });
}

/** Call this in a transaction. */
export function changeReceiver(platen: Platen, id: number, changes: Partial<Receiver>): Receiver {
  const changed = updateRow(platen, receivers, { id }, changes);
  refreshNextDue(platen, id);
  return changed as Receiver;
}

/** Drops pending deliveries. Call this in a transaction. @param reason sentence for the owner */
export function disableReceiver(platen: Platen, id: number, at: Date, reason: string): void {
  dropUndelivered(platen, id, at);
  changeReceiver(platen, id, { disabledAt: at, disabledBecause: reason });
}

/** Call this in a transaction. */
export function removeReceiver(platen: Platen, id: number, at: Date): void {
  dropUndelivered(platen, id, at);
  changeReceiver(platen, id, { removedAt: at });
}

/**
 * Includes deliveries that are being sent, in case of a crash. If one succeeds, it still becomes `delivered`.
 */
function dropUndelivered(platen: Platen, id: number, at: Date): void {
  const isUndelivered = and(eq(deliveries.receiverId, id), inArray(deliveries.state, ["pending", "sending"]));
  updateRows(platen, deliveries, isUndelivered, { state: "dropped", dueAt: null, settledAt: at });
}

/**
 * Stores the time of the next attempt. Call this after each change of deliveries, in the same transaction.
 * @param id undefined: all receivers with a `nextDue` or pending deliveries
 */
export function refreshNextDue(platen: Platen, id?: number): void {
  if (id === undefined) refreshAll(platen).run(times(platen));
  else refreshOne(platen).run({ ...times(platen), id });
}

export function refreshNextDueOf(platen: Platen, eventId: number): void {
  refreshOfEvent(platen).run({ ...times(platen), id: eventId });
}

/** `furthest`: later due times are implausible. Both are in milliseconds since 1970. */
export function times({ now, config }: Platen): { at: number; furthest: number } {
  const at = now().getTime();
  return { at, furthest: at + 2 * Math.max(DAY, ...config.webhookRetry) };
}

/** In debounce windows: a burst of events delays a delivery at most this long. */
export const MAX_QUIET_PERIODS = 10;

export const FIRST = `SELECT id FROM deliveries
  WHERE receiver_id = receivers.id AND state = 'pending' AND attempts = 0 ORDER BY id LIMIT 1`;
export const AGAIN = `SELECT id FROM deliveries
  WHERE receiver_id = receivers.id AND state = 'pending' AND attempts > 0 ORDER BY due_at, id LIMIT 1`;

/** A due time after `latest` means that the clock was set back, so the delivery is due now. */
const due = (query: string, latest: string) =>
  `(SELECT iif(due_at > ${latest}, $at, due_at) FROM deliveries WHERE id = (${query}))`;
export const FIRST_DUE = due(FIRST, `$at + ${MAX_QUIET_PERIODS} * quiet_period`);
const AGAIN_DUE = due(AGAIN, "$furthest");

const REFRESH = `UPDATE receivers SET next_due = iif(
  disabled_at IS NULL AND paused_at IS NULL AND removed_at IS NULL,
  max(min(coalesce(${FIRST_DUE}, ${AGAIN_DUE}), coalesce(${AGAIN_DUE}, ${FIRST_DUE})), iif(paused_until < $furthest, paused_until, 0)), NULL)`;

const refresh = (condition: string) =>
  prepareSql<void, [Record<string, number>]>(`${REFRESH} WHERE ${condition}`);
const refreshOne = refresh("id = $id");
const refreshOfEvent = refresh("id IN (SELECT receiver_id FROM deliveries WHERE event_id = $id)");
const refreshAll = refresh(`next_due IS NOT NULL
  OR id IN (SELECT receiver_id FROM deliveries WHERE state = 'pending' AND attempts = 0)
  OR id IN (SELECT receiver_id FROM deliveries WHERE state = 'pending' AND attempts > 0)`);
