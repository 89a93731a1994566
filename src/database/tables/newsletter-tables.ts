import { sql } from "drizzle-orm";
import {
  type AnySQLiteColumn,
  index,
  integer,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, id, instant, ownedBy } from "./columns";
import { posts } from "./post-tables";

/** IP addresses and opened mails are not stored. */
export const subscribers = sqliteTable(
  "subscribers",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** E-mail address in lower case; null after the subscriber left. */
    address: text(),
    /**
     * SHA-256 of the address, hex. The hash stays after the subscriber left, so that no import adds the
     * address again.
     */
    addressHash: text().notNull(),
    /** `asked`: not confirmed yet; `bounced`: several mails in a row were rejected, or the owner set this. */
    state: text({ enum: ["asked", "confirmed", "left", "bounced"] }).notNull(),
    language: text().notNull(),
    createdAt: createdAt(),
    askedAt: instant(),
    confirmedAt: instant(),
    /** Stays during a new request to subscribe. */
    leftAt: instant(),
    /** The issue with the unsubscribe link that the subscriber used. */
    leftIssueId: integer().references(() => newsletterIssues.id, { onDelete: "set null" }),
    failures: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("subscribers_address").on(table.blogId, table.addressHash),
    index("subscribers_state").on(table.blogId, table.state, table.id),
    index("subscribers_asked").on(table.askedAt).where(sql`${table.state} = 'asked'`),
    index("subscribers_left_issue").on(table.leftIssueId),
  ],
);

/**
 * Requests for confirmation mails in the last day, from all forms and blogs. Used to limit how many mails an
 * address gets.
 */
export const subscriptionRequests = sqliteTable(
  "subscription_requests",
  { id: id(), addressHash: text().notNull(), at: instant().notNull() },
  (table) => [
    index("subscription_requests_address").on(table.addressHash, table.at),
    index("subscription_requests_age").on(table.at),
  ],
);

/** One row per post or weekly digest that is sent to the subscribers. A post is never sent twice. */
export const newsletterIssues = sqliteTable(
  "newsletter_issues",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** null for a digest, and after the post was purged. */
    postId: integer().references(() => posts.id, { onDelete: "set null" }),
    digestId: integer().references((): AnySQLiteColumn => newsletterIssues.id, { onDelete: "set null" }),
    /** `draft`: only the subject or preview text was edited; nothing is scheduled. */
    state: text({ enum: ["draft", "waiting", "sending", "sent", "cancelled"] })
      .notNull()
      .default("draft"),
    createdAt: createdAt(),
    /** Time to send at; null if a digest contains the post, or if the state is not `waiting`. */
    dueAt: instant(),
    sentAt: instant(),
    /** The owner's subject; "" for the default, such as the post's title. */
    subject: text().notNull().default(""),
    /** The owner's preview text; "" for the default, such as the post's summary. */
    preview: text().notNull().default(""),
    /** The mail with a placeholder for the unsubscribe link. Rendered when the issue is due. */
    mail: text({ mode: "json" }).$type<{ subject: string; html: string; text: string }>(),
    /** Event with one delivery per subscriber; null: not started. Not a foreign key, because old events are deleted. */
    eventId: integer(),
    /** Id of the last subscriber who has a delivery; null: all have one. */
    queuedTo: integer().default(0),
    /** The counts stay after the deliveries are deleted. */
    sentCount: integer().notNull().default(0),
    failedCount: integer().notNull().default(0),
    bouncedCount: integer().notNull().default(0),
  },
  (table) => [
    uniqueIndex("newsletter_issues_post").on(table.postId),
    index("newsletter_issues_blog").on(table.blogId, table.id),
    index("newsletter_issues_digest").on(table.digestId),
    index("newsletter_issues_due").on(table.dueAt).where(sql`${table.state} = 'waiting'`),
    index("newsletter_issues_sending").on(table.id).where(sql`${table.state} = 'sending'`),
  ],
);
