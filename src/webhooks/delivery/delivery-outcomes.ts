import { eq, sql } from "drizzle-orm";
import { DAY } from "../../config/units";
import { prepared } from "../../database/prepared";
import { deliveries, webhooks } from "../../database/schema";
import type { Platen } from "../../platen";
import { disableWebhook, type Webhook } from "../webhook-urls";
import type { ClaimedDelivery } from "./delivery-claims";
import type { Outcome } from "./sender";

/** A URL is disabled after it has failed for this long. */
const DISABLE_AFTER_MS = 5 * DAY;
const GONE = 410;

/** Records an attempt. Then settles the delivery, schedules a retry or disables the URL. Call it in a transaction. */
export function recordOutcome(platen: Platen, claimed: ClaimedDelivery, outcome: Outcome): void {
  const found = withWebhook(platen).get({ id: claimed.id });
  if (!found) return;
  recordAttempt(platen, found, outcome);
  if (isSuccess(outcome)) recordSuccess(platen, found, platen.now());
  else recordFailure(platen, found, outcome);
}

const withWebhook = prepared((db) =>
  db
    .select({ delivery: deliveries, webhook: webhooks })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(eq(deliveries.id, sql.placeholder("id")))
    .prepare(),
);

interface Found {
  delivery: typeof deliveries.$inferSelect;
  webhook: Webhook;
}

function recordAttempt(platen: Platen, { delivery, webhook }: Found, outcome: Outcome): void {
  const { at, status, failure, duration, answer, signature } = outcome;
  const attempt = { deliveryId: delivery.id, at: at.getTime(), status, failure, duration, answer, signature };
  const { lastInsertRowid } = insertAttempt(platen).run(attempt);
  setLastAttempt(platen).run(Number(lastInsertRowid), webhook.id);
}

const setLastAttempt = prepared((db) =>
  db.$client.query<void, [number, number]>("UPDATE webhooks SET last_attempt_id = ? WHERE id = ?"),
);

const insertAttempt = prepared((db) =>
  db.$client.query<void, [Record<string, string | number | null>]>(
    `INSERT INTO attempts (delivery_id, at, status, failure, duration, answer, signature)
     VALUES ($deliveryId, $at, $status, $failure, $duration, $answer, $signature)`,
  ),
);

export function isSuccess({ status }: Pick<Outcome, "status">): boolean {
  return status !== null && status >= 200 && status <= 299;
}

function recordSuccess(platen: Platen, { delivery, webhook }: Found, at: Date): void {
  settleDelivered(platen).run(at.getTime(), delivery.id);
  if (webhook.failingSince)
    platen.db.update(webhooks).set({ failingSince: null }).where(eq(webhooks.id, webhook.id)).run();
}

const settleDelivered = prepared((db) =>
  db.$client.query<void, [number, number]>(
    "UPDATE deliveries SET state = 'delivered', due_at = NULL, settled_at = ?, attempts = attempts + 1 WHERE id = ?",
  ),
);

function recordFailure(platen: Platen, { delivery, webhook }: Found, outcome: Outcome): void {
  const at = platen.now();
  const failures = delivery.failures + 1;
  const wait = platen.config.webhookRetry[failures - 1];
  const failingSince = webhook.failingSince ?? outcome.at;
  if (!webhook.failingSince)
    platen.db.update(webhooks).set({ failingSince }).where(eq(webhooks.id, webhook.id)).run();

  // A URL that was removed and added again is enabled, but its older deliveries are dropped.
  const isOff = webhook.disabledAt !== null || webhook.removedAt !== null || delivery.state === "dropped";
  const reason = isOff ? null : reasonToDisable(outcome, failingSince, at);
  if (isOff) updateDelivery(platen, delivery, { state: "dropped", failures, dueAt: null, settledAt: at });
  else if (reason !== null || wait === undefined)
    updateDelivery(platen, delivery, { state: "failed", failures, dueAt: null, settledAt: at });
  else {
    const delay = Math.max(wait, outcome.retryAfter);
    updateDelivery(platen, delivery, { state: "pending", failures, dueAt: new Date(at.getTime() + delay) });
  }
  if (reason !== null) disableWebhook(platen, webhook, at, reason);
}

function reasonToDisable({ status, failure }: Outcome, failingSince: Date, at: Date): string | null {
  if (status === GONE) return "It returned 410 Gone.";
  if (at.getTime() - failingSince.getTime() < DISABLE_AFTER_MS) return null;
  return `It failed for 5 days; last failure: ${failure ?? `it answered ${status}`}.`;
}

function updateDelivery(
  platen: Platen,
  { id, attempts }: Found["delivery"],
  fields: Partial<typeof deliveries.$inferInsert>,
): void {
  platen.db
    .update(deliveries)
    .set({ ...fields, attempts: attempts + 1 })
    .where(eq(deliveries.id, id))
    .run();
}
