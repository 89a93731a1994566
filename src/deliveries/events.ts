import { prepareInsert, prepareSql } from "../database/prepared";
import { findRow, updateRows } from "../database/rows";
import { events } from "../database/schema";
import type { Platen } from "../platen";
import type { Channel, Event } from "./channel";
import { addForReceivers, coalesceEarlier } from "./debouncing";
import { ensureReceiver, refreshNextDue, refreshNextDueOf } from "./receivers";

type NewEvent = Pick<Event, "channel" | "blogId" | "name"> &
  Partial<Pick<Event, "postId" | "payload" | "isQueued">> & { at: Date };

/**
 * Call this in the transaction of the change. The delivery loop creates the deliveries later.
 * @param event set `isQueued` if the caller creates the deliveries
 */
export function recordEvent(platen: Platen, { at, payload = "", ...event }: NewEvent): Event {
  return insertEvent(platen, { ...event, payload, occurredAt: at });
}

const insertEvent = prepareInsert(events);

/** Call this in a transaction. @param url of the receiver, which may not exist yet */
export function deliverTo(
  platen: Platen,
  { id, channel, blogId }: Pick<Event, "id" | "channel" | "blogId">,
  url: string,
  targets?: readonly string[],
): void {
  addDeliveries(platen, id, ensureReceiver(platen, { channel, blogId, url }).id, targets);
}

/**
 * Existing deliveries to the same targets stay. Call this in a transaction, with at most a few hundred
 * targets, because the transaction blocks the server.
 * @returns ids of the created deliveries
 */
export function addDeliveries(
  platen: Platen,
  eventId: number,
  receiverId: number,
  targets: readonly string[] = [""],
): number[] {
  const at = platen.now().getTime();
  const added = insertTargets(platen).all({ eventId, receiverId, at, targets: JSON.stringify(targets) });
  refreshNextDue(platen, receiverId);
  return added.map(({ id }) => id);
}

const insertTargets = prepareSql<{ id: number }, [Record<string, number | string>]>(`
    INSERT INTO deliveries (event_id, receiver_id, target, due_at)
    SELECT $eventId, $receiverId, value, $at FROM json_each($targets) WHERE TRUE
    ON CONFLICT DO NOTHING RETURNING id`);

/**
 * Call this in a transaction, and before receivers change: an event goes only to receivers that existed when
 * it was recorded.
 */
export function queueEvents(platen: Platen, channel: Channel, limit = Number.MAX_SAFE_INTEGER): void {
  for (const { id } of unqueued(platen).all(channel.name, limit)) {
    const event = findRow(platen, events, { id }) as Event;
    updateRows(platen, events, { id }, { isQueued: true });
    if (channel.queue) channel.queue(platen, event);
    else queueForReceivers(platen, event);
  }
}

function queueForReceivers(platen: Platen, { id, channel, blogId, occurredAt }: Event): void {
  const recorded = { id, channel, blogId, at: occurredAt.getTime() };
  addForReceivers(platen).run(recorded);
  coalesceEarlier(platen).run(recorded);
  refreshNextDueOf(platen, id);
}

export function hasUnqueuedEvents(platen: Platen, channel: Pick<Channel, "name">): boolean {
  return unqueued(platen).all(channel.name, 1).length > 0;
}

export const UNQUEUED = "SELECT id FROM events WHERE NOT is_queued AND channel = ? ORDER BY id LIMIT ?";

const unqueued = prepareSql<{ id: number }, [string, number]>(UNQUEUED);
