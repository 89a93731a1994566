import { eq, inArray } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { deliveries, webhooks } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import { conflict, notFound } from "../../errors";
import type { Platen } from "../../platen";
import { listWebhooks } from "../webhook-urls";

/**
 * Sends a delivery again, whatever became of it, under the id it has; the retry schedule begins anew. Where its address
 * is paused, it waits for that.
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
 * @param blog this one's only
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

/** Failed, missed, or failed so far: of a delivery, word for word as the index `deliveries_failed` has it. */
export const IS_FAILED = "(state in ('failed', 'dropped') or (state = 'pending' and failures > 0))";

const failedSince = prepared((db) =>
  db.$client.query<{ id: number }, [webhookId: number, since: number]>(
    `SELECT id FROM deliveries WHERE webhook_id = ? AND ${IS_FAILED} AND (state = 'pending' OR settled_at >= ?)`,
  ),
);

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
