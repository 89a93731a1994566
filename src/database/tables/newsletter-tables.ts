import { sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, id, instant, oneOf, ownedBy } from "./columns";
import { posts } from "./post-tables";

export const subscribers = sqliteTable(
  "subscribers",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** In lower case; null if the subscriber left. */
    address: text(),
    /** SHA-256, hex. Stays after the subscriber left, so that no import adds the address again. */
    addressHash: text().notNull(),
    /** `asked`: not confirmed yet; `bounced`: several mails in a row were rejected, or the owner set this. */
    state: text({ enum: ["asked", "confirmed", "left", "bounced"] }).notNull(),
    language: text().notNull(),
    createdAt: createdAt(),
    askedAt: instant(),
    confirmedAt: instant(),
    /** Kept during a new request to subscribe. */
    leftAt: instant(),
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

/** One row per confirmation mail of the last day, to limit how many an address gets. */
export const subscriptionRequests = sqliteTable(
  "subscription_requests",
  { id: id(), addressHash: text().notNull(), at: instant().notNull() },
  (table) => [
    index("subscription_requests_address").on(table.addressHash, table.at),
    index("subscription_requests_age").on(table.at),
  ],
);

export const newsletterIssues = sqliteTable(
  "newsletter_issues",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** null for a digest, and after the post was purged. */
    postId: integer().references(() => posts.id, { onDelete: "set null" }),
    digestId: integer().references((): AnySQLiteColumn => newsletterIssues.id, { onDelete: "set null" }),
    /** `draft`: only the subject or preview text was edited; nothing is scheduled. */
    state: oneOf(["draft", "waiting", "sending", "sent", "cancelled"], "draft"),
    createdAt: createdAt(),
    /** Time to send at; null if a digest contains the post, or the state is not `waiting`. */
    dueAt: instant(),
    sentAt: instant(),
    /** "" in `subject` or `preview`: the default is used, such as the post's title or summary. */
    subject: text().notNull().default(""),
    preview: text().notNull().default(""),
    /** Rendered when the issue is due, with a placeholder for the unsubscribe link. */
    mail: text({ mode: "json" }).$type<{ subject: string; html: string; text: string }>(),
    /** Event with one delivery per subscriber; a digest's posts have its event. Not a foreign key, because old events are deleted. */
    eventId: integer(),
    /** Id of the last subscriber who has a delivery; null: all have one. */
    queuedTo: integer().default(0),
    /** Counted here because the deliveries are deleted after some time. */
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
