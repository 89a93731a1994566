import { prepared } from "../database/prepared";
import type { Platen } from "../platen";

/** Maximum delay of a burst of events, in debounce windows. */
export const MAX_QUIET_PERIODS = 10;

/**
 * Creates the deliveries of new events, one per URL of the blog. Call it in a transaction. Also call it before URLs
 * change, because an event goes to the URLs at the time of the event.
 */
export function queueEvents(platen: Platen, limit = Number.MAX_SAFE_INTEGER): void {
  for (const event of unqueued(platen).all(limit)) {
    addDeliveries(platen).run(event);
    coalesceEarlier(platen).run(event);
    markQueued(platen).run(event.eventId);
  }
}

export function hasUnqueuedEvents(platen: Platen): boolean {
  return unqueued(platen).all(1).length > 0;
}

export const UNQUEUED = `
  SELECT id AS eventId, blog_id AS blogId, occurred_at AS at FROM events
  WHERE NOT is_queued ORDER BY id LIMIT ?`;

const unqueued = prepared((db) => db.$client.query<Recorded, [number]>(UNQUEUED));
const markQueued = prepared((db) =>
  db.$client.query<void, [number]>("UPDATE events SET is_queued = 1 WHERE id = ?"),
);

type Recorded = {
  eventId: number;
  blogId: number;
  /** Time in milliseconds since 1970. */
  at: number;
};

/**
 * With debouncing, each event of a burst restarts the window. A disabled URL gets dropped deliveries, which the owner
 * can send again.
 */
const addDeliveries = prepared((db) =>
  db.$client.query<void, [Recorded]>(`
    WITH receivers AS (
      SELECT id, quiet_period, disabled_at IS NULL AS is_on,
        iif(quiet_period > 0, coalesce(
          (SELECT min(held_since) FROM deliveries WHERE webhook_id = webhooks.id AND state = 'pending' AND attempts = 0),
          $at), NULL) AS held_since
      FROM webhooks WHERE blog_id = $blogId AND removed_at IS NULL
    )
    INSERT INTO deliveries (event_id, webhook_id, state, due_at, held_since, settled_at)
    SELECT $eventId, id, iif(is_on, 'pending', 'dropped'),
      iif(is_on, coalesce(min($at + quiet_period, held_since + ${MAX_QUIET_PERIODS} * quiet_period), $at), NULL),
      held_since,
      iif(is_on, NULL, $at)
    FROM receivers ORDER BY id`),
);

/** With debouncing, the new event replaces all pending ones. */
const coalesceEarlier = prepared((db) =>
  db.$client.query<void, [Recorded]>(`
    WITH folding AS (SELECT id FROM webhooks WHERE blog_id = $blogId AND quiet_period > 0),
    waiting AS (
      SELECT deliveries.id, event_id FROM folding CROSS JOIN deliveries
        ON webhook_id = folding.id AND state = 'pending' AND attempts = 0
      UNION ALL SELECT deliveries.id, event_id FROM folding CROSS JOIN deliveries
        ON webhook_id = folding.id AND state = 'pending' AND attempts > 0
    )
    UPDATE deliveries SET state = 'folded', due_at = NULL, settled_at = $at
    WHERE id IN (SELECT id FROM waiting WHERE event_id <> $eventId)`),
);
