import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

export const webhooks = sqliteTable(
  "webhooks",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    url: text().notNull(),
    createdAt: createdAt(),
    /** Time of removal. Removed webhooks stay in the table, because the delivery log refers to them. */
    removedAt: instant(),
    /** Time when the webhook was disabled, after status 410 or days of failures. */
    disabledAt: instant(),
    disabledBecause: text(),
    /** Time when the webhook was paused. New events are queued meanwhile. */
    pausedAt: instant(),
    /** Time of the first failure since the last success; null after a success. */
    failingSince: instant(),
    /** Debounce window in milliseconds; 0: off. */
    quietPeriod: integer().notNull().default(0),
    /** Not a foreign key: the attempt is deleted after 30 days. */
    lastAttemptId: integer(),
  },
  (table) => [uniqueIndex("webhooks_url").on(table.blogId, table.url)],
);

/** Events, written in the transaction of the change. */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** Not a foreign key: the event stays when the post is purged. */
    postId: integer(),
    name: text().notNull(),
    occurredAt: instant().notNull(),
    payload: text().notNull(),
    /** Whether the event's deliveries have been created. */
    isQueued: flag(),
  },
  (table) => [
    index("events_blog").on(table.blogId, table.id),
    index("events_age").on(table.occurredAt),
    index("events_unqueued").on(table.id).where(sql`not ${table.isQueued}`),
  ],
);

/** The outbox: one event for one webhook. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: id(),
    eventId: ownedBy(() => events.id),
    webhookId: ownedBy(() => webhooks.id),
    /** `folded`: a later event replaced it; `dropped`: the webhook was disabled or removed. */
    state: text({ enum: ["pending", "sending", "delivered", "failed", "folded", "dropped"] })
      .notNull()
      .default("pending"),
    attempts: integer().notNull().default(0),
    /** Failed attempts since it was queued: the position in the retry schedule. */
    failures: integer().notNull().default(0),
    /** Time of the next attempt; null: settled. */
    dueAt: instant(),
    /** Start of the debounce window; null: not debounced. */
    heldSince: instant(),
    settledAt: instant(),
  },
  (table) => [
    uniqueIndex("deliveries_event").on(table.eventId, table.webhookId),
    index("deliveries_webhook").on(table.webhookId, table.id),
    index("deliveries_first")
      .on(table.webhookId, table.id)
      .where(sql`${table.state} = 'pending' and ${table.attempts} = 0`),
    index("deliveries_again")
      .on(table.webhookId, table.dueAt)
      .where(sql`${table.state} = 'pending' and ${table.attempts} > 0`),
    index("deliveries_failed")
      .on(table.webhookId, table.id)
      .where(
        sql`${table.state} in ('failed', 'dropped') or (${table.state} = 'pending' and ${table.failures} > 0)`,
      ),
    index("deliveries_sending").on(table.id).where(sql`${table.state} = 'sending'`),
  ],
);

export const attempts = sqliteTable(
  "attempts",
  {
    id: id(),
    deliveryId: ownedBy(() => deliveries.id),
    at: instant().notNull(),
    /** HTTP status of the response; null: no response. */
    status: integer(),
    /** Error message, if the status does not explain the failure. */
    failure: text(),
    /** Duration in milliseconds. */
    duration: integer().notNull(),
    /** First kilobyte of the response. */
    answer: text().notNull().default(""),
    /** The `webhook-signature` header; null in old rows. */
    signature: text(),
  },
  (table) => [index("attempts_delivery").on(table.deliveryId, table.id)],
);
