import { and, eq, gt, gte, inArray, isNull, or } from "drizzle-orm";
import { deliveries, webhooks } from "../database/schema";
import { inTransaction } from "../database/transactions";
import { conflict, notFound } from "../errors";
import type { Platen } from "../platen";

/**
 * Sends a delivery again, whatever became of it, under the id it has; the retry schedule begins anew.
 * @throws Refusal: missing; conflict where its address is off or removed, or it is being sent at this moment
 */
export function redeliver(platen: Platen, id: number): void {
  inTransaction(platen, () => {
    const found = platen.db
      .select({ state: deliveries.state, webhook: webhooks })
      .from(deliveries)
      .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
      .where(eq(deliveries.id, id))
      .get();
    if (!found) throw notFound("delivery");
    if (found.webhook.removedAt)
      throw conflict(`The webhook ${found.webhook.url} is removed; add it again first.`);
    if (found.webhook.disabledAt)
      throw conflict(`The webhook ${found.webhook.url} is turned off; enable it first.`);
    if (found.state === "sending") throw conflict(`Delivery ${id} is being sent at this moment.`);
    queueAgain(platen, [id], platen.now());
  });
}

/**
 * Sends again all that has failed or been dropped since, and at once what has failed and waits for its next try;
 * gives how many. Addresses that are off or removed are passed over.
 */
export function redeliverFailed(platen: Platen, since: Date): number {
  return inTransaction(platen, () => {
    const isFailed = and(inArray(deliveries.state, ["failed", "dropped"]), gte(deliveries.settledAt, since));
    const isWaiting = and(eq(deliveries.state, "pending"), gt(deliveries.failures, 0));
    const ids = platen.db
      .select({ id: deliveries.id })
      .from(webhooks)
      // Looked up from the addresses, which are few: SQLite keeps the order of a cross join.
      .crossJoin(deliveries)
      .where(
        and(
          eq(deliveries.webhookId, webhooks.id),
          isNull(webhooks.disabledAt),
          isNull(webhooks.removedAt),
          or(isFailed, isWaiting),
        ),
      )
      .all()
      .map((row) => row.id);
    queueAgain(platen, ids, platen.now());
    return ids.length;
  });
}

/** Ids in one statement: SQLite limits them, and a dead receiver may have missed more. */
const MOST_IDS = 1000;

function queueAgain(platen: Platen, ids: number[], at: Date): void {
  for (let first = 0; first < ids.length; first += MOST_IDS)
    platen.db
      .update(deliveries)
      .set({ state: "pending", failures: 0, dueAt: at, heldSince: null, settledAt: null })
      .where(inArray(deliveries.id, ids.slice(first, first + MOST_IDS)))
      .run();
}
