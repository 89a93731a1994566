import { findRow, prepareInsert, prepareSql, updateRows } from "../database/rows";
import { events } from "../database/schema";
import type { Platen } from "../platen";
import type { Channel, Event } from "./channel";
import { ensureReceiver, MAX_QUIET_PERIODS, refreshNextDue, refreshNextDueOf } from "./receivers";

type NewEvent = Pick<Event, "channel" | "blogId" | "name"> &
  Partial<Pick<Event, "postId" | "payload" | "isQueued">> & { at?: Date };

/**
 * Call this in the transaction of the change. The delivery loop creates the deliveries later.
 * @param event set `isQueued` if the caller creates the deliveries
 */
export function recordEvent(platen: Platen, { at, payload = "", ...event }: NewEvent): Event {
  return insertEvent(platen, { ...event, payload, occurredAt: at ?? platen.now() });
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

type Recorded = Pick<Event, "id" | "channel" | "blogId"> & {
  /** Milliseconds since 1970. */
  at: number;
};

/**
 * Each event of a burst restarts the debounce window. A disabled receiver gets dropped deliveries, which the
 * owner can send again.
 */
const addForReceivers = prepareSql<void, [Recorded]>(`
    WITH wanted AS (
      SELECT id, quiet_period, disabled_at IS NULL AS is_on,
        iif(quiet_period > 0, coalesce(
          (SELECT min(held_since) FROM deliveries WHERE receiver_id = receivers.id AND state = 'pending' AND attempts = 0),
          $at), NULL) AS held_since
      FROM receivers WHERE blog_id IS $blogId AND channel = $channel AND removed_at IS NULL
    )
    INSERT INTO deliveries (event_id, receiver_id, state, due_at, held_since, settled_at)
    SELECT $id, id, iif(is_on, 'pending', 'dropped'),
      iif(is_on, coalesce(min($at + quiet_period, held_since + ${MAX_QUIET_PERIODS} * quiet_period), $at), NULL),
      held_since,
      iif(is_on, NULL, $at)
    FROM wanted ORDER BY id`);

/** The new event replaces the pending deliveries of debounced receivers. */
const coalesceEarlier = prepareSql<void, [Recorded]>(`
    WITH folding AS (
      SELECT id FROM receivers WHERE blog_id IS $blogId AND channel = $channel AND quiet_period > 0
    ),
    waiting AS (
      SELECT deliveries.id, event_id FROM folding CROSS JOIN deliveries
        ON receiver_id = folding.id AND state = 'pending' AND attempts = 0
      UNION ALL SELECT deliveries.id, event_id FROM folding CROSS JOIN deliveries
        ON receiver_id = folding.id AND state = 'pending' AND attempts > 0
    )
    UPDATE deliveries SET state = 'folded', due_at = NULL, settled_at = $at
    WHERE id IN (SELECT id FROM waiting WHERE event_id <> $id)`);

export function hasUnqueuedEvents(platen: Platen, channel: Pick<Channel, "name">): boolean {
  return unqueued(platen).all(channel.name, 1).length > 0;
}

export const UNQUEUED = "SELECT id FROM events WHERE NOT is_queued AND channel = ? ORDER BY id LIMIT ?";

const unqueued = prepareSql<{ id: number }, [string, number]>(UNQUEUED);
