import { and, asc, eq, gt, inArray, isNull, lte, notExists, or, sql } from "drizzle-orm";
import { DAY } from "../config/units";
import { deliveries, events } from "../database/schema";
import type { Platen } from "../platen";

/** Time that settled deliveries and their attempts are kept. */
const DELIVERY_RETENTION_MS = 30 * DAY;

const MAX_EVENTS_PER_BATCH = 100;

/**
 * Deletes events with their deliveries and attempts if all have been settled for DELIVERY_RETENTION_MS.
 * @returns whether events may be left to delete
 */
export function deleteOldDeliveries(platen: Platen): boolean {
  const oldest = new Date(platen.now().getTime() - DELIVERY_RETENTION_MS);
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
    .limit(MAX_EVENTS_PER_BATCH);
  const gone = platen.db.delete(events).where(inArray(events.id, some)).returning({ id: events.id }).all();
  return gone.length === MAX_EVENTS_PER_BATCH;
}
