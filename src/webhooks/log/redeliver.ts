import { eq, inArray } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { deliveries, webhooks } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { conflict, notFound } from "../../errors";
import type { Platen } from "../../platen";
import { listWebhooks } from "../webhook-urls";

/**
 * Queues a delivery again with the same id. Its retry schedule restarts.
 * @throws Refusal: missing; conflict if the URL is disabled or removed, or the delivery is being sent
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
      throw conflict(`The webhook ${found.webhook.url} is disabled; enable it first.`);
    if (found.state === "sending") throw conflict(`Delivery ${id} is being sent right now.`);
    queueAgain(platen, [id], platen.now());
  });
}

/**
 * Queues all deliveries again that failed or were dropped since a time. Retries pending ones now. Skips disabled
 * URLs.
 * @returns number of deliveries
 */
export function redeliverFailed(platen: Platen, since: Date, blog?: Blog): number {
  return inTransaction(platen, () => {
    const ids = listWebhooks(platen, blog)
      .filter(({ disabledAt }) => !disabledAt)
      .flatMap(({ id }) => failedSince(platen).all(id, since.getTime()))
      .map(({ id }) => id);
    queueAgain(platen, ids, platen.now());
    return ids.length;
  });
}

/** SQL condition for failed deliveries. It must match the index `deliveries_failed`. */
export const IS_FAILED = "(state in ('failed', 'dropped') or (state = 'pending' and failures > 0))";

const failedSince = prepared((db) =>
  db.$client.query<{ id: number }, [webhookId: number, since: number]>(
    `SELECT id FROM deliveries WHERE webhook_id = ? AND ${IS_FAILED} AND (state = 'pending' OR settled_at >= ?)`,
  ),
);

/** Maximum number of ids per statement. SQLite limits its parameters. */
const MAX_IDS = 1000;

function queueAgain(platen: Platen, ids: number[], at: Date): void {
  for (let first = 0; first < ids.length; first += MAX_IDS)
    platen.db
      .update(deliveries)
      .set({ state: "pending", failures: 0, dueAt: at, heldSince: null, settledAt: null })
      .where(inArray(deliveries.id, ids.slice(first, first + MAX_IDS)))
      .run();
}
