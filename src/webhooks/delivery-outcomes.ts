import { eq } from "drizzle-orm";
import { attempts, deliveries, webhooks } from "../database/schema";
import type { Platen } from "../platen";
import type { Claimed } from "./deliveries";
import type { Outcome } from "./sender";
import { disableWebhook, type Webhook } from "./webhook-urls";

const DAY = 24 * 60 * 60 * 1000;

/** After this long of nothing but failures an address is turned off (contract.md 7), in milliseconds. */
const GIVEN_UP_AFTER = 5 * DAY;
/** The longest wait a receiver may ask for by `Retry-After`, in milliseconds. */
const LONGEST_PATIENCE = DAY;
const GONE = 410;

/** Writes down what came of an attempt, and what is to happen next. */
export function settle(platen: Platen, claimed: Claimed, outcome: Outcome): void {
  const found = platen.db
    .select({ delivery: deliveries, webhook: webhooks })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .where(eq(deliveries.id, claimed.id))
    .get();
  if (!found) return;
  keepAttempt(platen, found.delivery, outcome);
  if (isSuccess(outcome)) succeed(platen, found, platen.now());
  else fail(platen, found, outcome);
}

interface Found {
  delivery: typeof deliveries.$inferSelect;
  webhook: Webhook;
}

function keepAttempt(platen: Platen, { id }: Found["delivery"], outcome: Outcome): void {
  const { at, status, failure, duration, answer } = outcome;
  platen.db.insert(attempts).values({ deliveryId: id, at, status, failure, duration, answer }).run();
}

function isSuccess({ status }: Outcome): boolean {
  return status !== null && status >= 200 && status <= 299;
}

function succeed(platen: Platen, { delivery, webhook }: Found, at: Date): void {
  change(platen, delivery, { state: "delivered", dueAt: null, settledAt: at });
  if (webhook.failingSince)
    platen.db.update(webhooks).set({ failingSince: null }).where(eq(webhooks.id, webhook.id)).run();
}

function fail(platen: Platen, { delivery, webhook }: Found, outcome: Outcome): void {
  const at = platen.now();
  const failures = delivery.failures + 1;
  const wait = platen.config.webhookRetry[failures - 1];
  const failingSince = webhook.failingSince ?? outcome.at;
  if (!webhook.failingSince)
    platen.db.update(webhooks).set({ failingSince }).where(eq(webhooks.id, webhook.id)).run();

  // An address that was removed and added again meanwhile is on, and wants nothing from before.
  const isOff = webhook.disabledAt !== null || webhook.removedAt !== null || delivery.state === "dropped";
  const reason = isOff ? null : reasonToGiveUp(outcome, failingSince, at);
  if (isOff) change(platen, delivery, { state: "dropped", failures, dueAt: null, settledAt: at });
  else if (reason !== null || wait === undefined)
    change(platen, delivery, { state: "failed", failures, dueAt: null, settledAt: at });
  else {
    const patience = Math.max(wait, Math.min(outcome.retryAfter, LONGEST_PATIENCE));
    change(platen, delivery, { state: "pending", failures, dueAt: new Date(at.getTime() + patience) });
  }
  if (reason !== null) disableWebhook(platen, webhook, at, reason);
}

function reasonToGiveUp({ status, failure }: Outcome, failingSince: Date, at: Date): string | null {
  if (status === GONE) return "It answered 410: it is gone and wants nothing more.";
  if (at.getTime() - failingSince.getTime() < GIVEN_UP_AFTER) return null;
  return `Nothing but failures for 5 days; the last one: ${failure ?? `it answered ${status}`}.`;
}

function change(
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
