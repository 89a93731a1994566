import { prepareSql } from "../database/prepared";
import type { Event } from "./channel";

/** In debounce windows: a burst of events delays a delivery at most this long. */
export const MAX_QUIET_PERIODS = 10;

type Recorded = Pick<Event, "id" | "channel" | "blogId"> & {
  /** Milliseconds since 1970. */
  at: number;
};

/**
 * Each event of a burst restarts the debounce window. A disabled receiver gets dropped deliveries, which the
 * owner can send again.
 */
export const addForReceivers = prepareSql<void, [Recorded]>(`
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
export const coalesceEarlier = prepareSql<void, [Recorded]>(`
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
