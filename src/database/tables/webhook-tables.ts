import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

/** Addresses a blog's events are sent to. */
export const webhooks = sqliteTable(
  "webhooks",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    url: text().notNull(),
    createdAt: createdAt(),
    /** Removed addresses stay, unseen, for the log's sake. */
    removedAt: instant(),
    /** Set when the receiver was given up (410, or days of failures), with the reason for the owner to read. */
    disabledAt: instant(),
    disabledBecause: text(),
    /** Set by the owner: what happens from then on waits until they go on. */
    pausedAt: instant(),
    /** Since when nothing but failures; null after a success. */
    failingSince: instant(),
    /** Fold bursts: wait for this many milliseconds without another event, then send the last one only; 0: never. */
    quietPeriod: integer().notNull().default(0),
    /** No foreign key: it may be deleted with its delivery, 30 days later. */
    lastAttemptId: integer(),
  },
  (table) => [uniqueIndex("webhooks_url").on(table.blogId, table.url)],
);

/** What happened to live content, written in the transaction that made it happen; the payload is finished there. */
export const events = sqliteTable(
  "events",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** No foreign key: the event outlives the post. */
    postId: integer(),
    name: text().notNull(),
    occurredAt: instant().notNull(),
    payload: text().notNull(),
    /** Its deliveries have been written. */
    isQueued: flag(),
  },
  (table) => [
    index("events_blog").on(table.blogId, table.id),
    index("events_age").on(table.occurredAt),
    index("events_unqueued").on(table.id).where(sql`not ${table.isQueued}`),
  ],
);

/** The outbox: one event for one address. */
export const deliveries = sqliteTable(
  "deliveries",
  {
    id: id(),
    eventId: ownedBy(() => events.id),
    webhookId: ownedBy(() => webhooks.id),
    /** `folded`: a later event of the burst went instead; `dropped`: the address was off or removed. */
    state: text({ enum: ["pending", "sending", "delivered", "failed", "folded", "dropped"] })
      .notNull()
      .default("pending"),
    attempts: integer().notNull().default(0),
    /** Failed attempts since it was last put in the queue: how far it is in the retry schedule. */
    failures: integer().notNull().default(0),
    /** When it may be tried next; null once it is settled. */
    dueAt: instant(),
    /** Since when its burst has been held back; null where bursts are not folded. */
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
    /** HTTP status; null where none came. */
    status: integer(),
    /** What went wrong, for people, where the status does not say it. */
    failure: text(),
    /** In milliseconds. */
    duration: integer().notNull(),
    /** The first KB of the answer. */
    answer: text().notNull().default(""),
    /** `webhook-signature`, as it was sent: the other headers are made of what is kept. Null: sent before it was. */
    signature: text(),
  },
  (table) => [index("attempts_delivery").on(table.deliveryId, table.id)],
);
