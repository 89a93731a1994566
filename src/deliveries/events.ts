import { eq } from "drizzle-orm";
import { prepared } from "../database/prepared";
import { events } from "../database/schema";
import type { Platen } from "../platen";
import type { Channel, Event } from "./channel";
import { MAX_QUIET_PERIODS, refreshNextDue, refreshNextDueOf } from "./receivers";

type NewEvent = Pick<Event, "channel" | "blogId" | "name"> &
  Partial<Pick<Event, "postId" | "payload" | "isQueued">> & { at: Date };

/**
 * Stores an event. Call it in the transaction of the change. The delivery loop creates the deliveries later.
 * @param event `isQueued` if the caller creates the deliveries with `addDeliveries`
 * @returns id of the event
 */
export function recordEvent(platen: Platen, { at, payload = "", ...event }: NewEvent): number {
  const row = { ...event, payload, occurredAt: at };
  return platen.db.insert(events).values(row).returning({ id: events.id }).get().id;
}

/**
 * Creates deliveries of an event to targets of one receiver; existing ones stay. Call it in a transaction, with at
 * most a few hundred targets, because other requests wait for the transaction.
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

const insertTargets = prepared((db) =>
  db.$client.query<{ id: number }, [Record<string, number | string>]>(`
    INSERT INTO deliveries (event_id, receiver_id, target, due_at)
    SELECT $eventId, $receiverId, value, $at FROM json_each($targets) WHERE TRUE
    ON CONFLICT DO NOTHING RETURNING id`),
);

/**
 * Creates the deliveries of new events. Call it in a transaction. Also call it before receivers change, because an
 * event goes to the receivers at the time of the event.
 */
export function queueEvents(platen: Platen, channel: Channel, limit = Number.MAX_SAFE_INTEGER): void {
  for (const { id } of unqueued(platen).all(channel.name, limit)) {
    const event = platen.db.select().from(events).where(eq(events.id, id)).get() as Event;
    markQueued(platen).run(id);
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

export function hasUnqueuedEvents(platen: Platen, channel: Channel): boolean {
  return unqueued(platen).all(channel.name, 1).length > 0;
}

export const UNQUEUED = "SELECT id FROM events WHERE NOT is_queued AND channel = ? ORDER BY id LIMIT ?";

const unqueued = prepared((db) => db.$client.query<{ id: number }, [string, number]>(UNQUEUED));
const markQueued = prepared((db) =>
  db.$client.query<void, [number]>("UPDATE events SET is_queued = 1 WHERE id = ?"),
);

type Recorded = Pick<Event, "id" | "channel" | "blogId"> & {
  /** Time in milliseconds since 1970. */
  at: number;
};

/**
 * With debouncing, each event of a burst restarts the window. A disabled receiver gets dropped deliveries, which the
 * owner can send again.
 */
const addForReceivers = prepared((db) =>
  db.$client.query<void, [Recorded]>(`
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
    FROM wanted ORDER BY id`),
);

/** With debouncing, the new event replaces all pending ones. */
const coalesceEarlier = prepared((db) =>
  db.$client.query<void, [Recorded]>(`
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
    WHERE id IN (SELECT id FROM waiting WHERE event_id <> $id)`),
);
