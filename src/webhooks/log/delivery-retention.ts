import { and, asc, eq, gt, inArray, isNull, lte, notExists, or, sql } from "drizzle-orm";
import { DAY } from "../../config/units";
import { deliveries, events } from "../../database/schema";
import type { Platen } from "../../platen";

/** How long deliveries and their attempts are kept once nothing more will be tried, in milliseconds (contract.md 7). */
const DELIVERIES_KEPT_FOR = 30 * DAY;

/** Events that are deleted in one go: each has a delivery for every address, and these their attempts. */
const AT_ONCE = 100;

/**
 * Deletes events, with their deliveries and attempts, once all of these have been settled for DELIVERIES_KEPT_FOR.
 * @returns whether there may be more
 */
export function deleteOldDeliveries(platen: Platen): boolean {
  const oldest = new Date(platen.now().getTime() - DELIVERIES_KEPT_FOR);
  const wanted = platen.db
    .select({ one: sql`1` })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.eventId, events.id),
        or(isNull(deliveries.settledAt), gt(deliveries.settledAt, oldest)),
      ),
    );
  const some = platen.db
    .select({ id: events.id })
    .from(events)
    .where(and(eq(events.isQueued, true), lte(events.occurredAt, oldest), notExists(wanted)))
    .orderBy(asc(events.occurredAt))
    .limit(AT_ONCE);
  const gone = platen.db.delete(events).where(inArray(events.id, some)).returning({ id: events.id }).all();
  return gone.length === AT_ONCE;
}
