import { and, asc, eq, gt, inArray, isNull, lte, max, notExists, or, sql } from "drizzle-orm";
import { attempts, blogs, deliveries, events, webhooks } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import type { Platen } from "../../platen";
import { DAY } from "../../units";
import { hasUnqueuedEvents, queueEvents } from "../queueing";

/** How long deliveries and their attempts are kept once nothing more will be tried, in milliseconds (contract.md 7). */
const DELIVERIES_KEPT_FOR = 30 * DAY;

export type Attempt = typeof attempts.$inferSelect;

/** Every delivery with what came of its last attempt, oldest first. */
export function listDeliveries(platen: Platen) {
  const { db } = platen;
  if (hasUnqueuedEvents(platen)) inTransaction(platen, () => queueEvents(platen));
  const last = db
    .select({ deliveryId: attempts.deliveryId, id: max(attempts.id).as("last_id") })
    .from(attempts)
    .groupBy(attempts.deliveryId)
    .as("last");
  return db
    .select({
      id: deliveries.id,
      blog: blogs.slug,
      event: events.name,
      url: webhooks.url,
      state: deliveries.state,
      attempts: deliveries.attempts,
      status: attempts.status,
      failure: attempts.failure,
      duration: attempts.duration,
      occurredAt: events.occurredAt,
      dueAt: deliveries.dueAt,
    })
    .from(deliveries)
    .innerJoin(events, eq(events.id, deliveries.eventId))
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .innerJoin(blogs, eq(blogs.id, webhooks.blogId))
    .leftJoin(last, eq(last.deliveryId, deliveries.id))
    .leftJoin(attempts, eq(attempts.id, last.id))
    .orderBy(asc(deliveries.id))
    .all();
}

/** Every attempt at one delivery, in order. @throws Refusal (missing) */
export function listAttempts(platen: Platen, deliveryId: number): Attempt[] {
  const known = platen.db
    .select({ id: deliveries.id })
    .from(deliveries)
    .where(eq(deliveries.id, deliveryId))
    .get();
  if (!known) throw notFound("delivery");
  return platen.db
    .select()
    .from(attempts)
    .where(eq(attempts.deliveryId, deliveryId))
    .orderBy(asc(attempts.id))
    .all();
}

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
