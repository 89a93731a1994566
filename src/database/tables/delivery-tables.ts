import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, oneOf, ownedBy } from "./columns";

const ofBlog = () => integer().references(() => blogs.id, { onDelete: "cascade" });

const channel = () => text().notNull().default("webhook");

export const receivers = sqliteTable(
  "receivers",
  {
    id: id(),
    channel: channel(),
    blogId: ofBlog(),
    url: text().notNull(),
    createdAt: createdAt(),
    /** Removed receivers stay in the table, because the delivery log refers to them. */
    removedAt: instant(),
    /** Set by Platen, for example after status 410. */
    disabledAt: instant(),
    disabledBecause: text(),
    /** Set by the owner. New events are queued until the owner resumes. */
    pausedAt: instant(),
    /** Set by Platen. Nothing is sent before this time. */
    pausedUntil: instant(),
    /** Start of the current series of failures; null: none, or the channel does not disable receivers. */
    failingSince: instant(),
    /** Debounce window in milliseconds; 0: off. */
    quietPeriod: integer().notNull().default(0),
    /** Not a foreign key: old attempts are deleted. */
    lastAttemptId: integer(),
    /** Time of the next attempt, computed by `refreshNextDue`; null: none. */
    nextDue: instant(),
  },
  (table) => [
    uniqueIndex("receivers_url").on(table.blogId, table.channel, table.url),
    index("receivers_due").on(table.channel, table.nextDue).where(sql`${table.nextDue} is not null`),
  ],
);

export const events = sqliteTable(
  "events",
  {
    id: id(),
    channel: channel(),
    blogId: ofBlog(),
    /** Not a foreign key: the event stays when the post is purged. */
    postId: integer(),
    name: text().notNull(),
    occurredAt: instant().notNull(),
    payload: text().notNull(),
    isQueued: flag(),
  },
  (table) => [
    index("events_blog").on(table.blogId, table.id),
    index("events_age").on(table.occurredAt),
    index("events_unqueued").on(table.channel, table.id).where(sql`not ${table.isQueued}`),
  ],
);

export const deliveries = sqliteTable(
  "deliveries",
  {
    id: id(),
    eventId: ownedBy(() => events.id),
    receiverId: ownedBy(() => receivers.id),
    /** Distinguishes deliveries of one event to one receiver, such as a subscriber's id; may be "". */
    target: text().notNull().default(""),
    /**
     * `folded`: replaced by a later event; `dropped`: not sent, for example because the receiver was removed;
     * `unsure`: the process died or the connection broke while sending.
     */
    state: oneOf(["pending", "sending", "delivered", "failed", "folded", "dropped", "unsure"], "pending"),
    attempts: integer().notNull().default(0),
    /** Failures since the delivery was last queued. They determine the delay of the next retry. */
    failures: integer().notNull().default(0),
    dueAt: instant(),
    /** Time of the first event of a debounced burst; null: not debounced. */
    heldSince: instant(),
    settledAt: instant(),
  },
  ({ eventId, receiverId, target, id, state, attempts, dueAt, failures }) => [
    uniqueIndex("deliveries_event").on(eventId, receiverId, target),
    index("deliveries_receiver").on(receiverId, id),
    index("deliveries_first").on(receiverId, id).where(sql`${state} = 'pending' and ${attempts} = 0`),
    index("deliveries_again").on(receiverId, dueAt).where(sql`${state} = 'pending' and ${attempts} > 0`),
    index("deliveries_failed")
      .on(receiverId, id)
      .where(sql`${state} in ('failed', 'dropped', 'unsure') or (${state} = 'pending' and ${failures} > 0)`),
    index("deliveries_sending").on(id).where(sql`${state} = 'sending'`),
  ],
);

export const attempts = sqliteTable(
  "attempts",
  {
    id: id(),
    deliveryId: ownedBy(() => deliveries.id),
    at: instant().notNull(),
    /** HTTP or SMTP status; null: no response. */
    status: integer(),
    failure: text(),
    duration: integer().notNull(),
    /** Beginning of the response's body, the SMTP response, or a short report. */
    answer: text().notNull().default(""),
    signature: text(),
  },
  (table) => [index("attempts_delivery").on(table.deliveryId, table.id)],
);
