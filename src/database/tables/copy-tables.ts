import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { blogs } from "./blog-tables";
import { createdAt, id, instant, ownedBy } from "./columns";
import { receivers } from "./delivery-tables";
import { posts } from "./post-tables";

export const copyAccounts = sqliteTable(
  "copy_accounts",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    service: text({ enum: ["bluesky", "mastodon"] }).notNull(),
    receiverId: ownedBy(() => receivers.id),
    server: text().notNull(),
    handle: text().notNull(),
    /** Bluesky: the DID. Mastodon: the account's id on its server. */
    remoteId: text().notNull(),
    /** App password or access token. Must not appear in responses, exports or logs. */
    secret: text().notNull(),
    /** Bluesky only. Stored because Bluesky counts each new session as another sign-in. */
    session: text({ mode: "json" }).$type<{ accessJwt: string; refreshJwt: string }>(),
    maxCharacters: integer().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    uniqueIndex("copy_accounts_service").on(table.blogId, table.service),
    index("copy_accounts_receiver").on(table.receiverId),
  ],
);

export const copies = sqliteTable(
  "copies",
  {
    id: id(),
    blogId: ownedBy(() => blogs.id),
    /** Not a foreign key: the copy may have to be deleted after the post was purged. */
    postId: integer().notNull(),
    receiverId: ownedBy(() => receivers.id),
    /**
     * Bluesky's record key or Mastodon's Idempotency-Key. Stored before the first attempt, so that a retry
     * creates no second copy.
     */
    key: text().notNull(),
    /** Id at the service; "" until the copy is sent. */
    remoteId: text().notNull().default(""),
    url: text().notNull().default(""),
    /** Hashes of the last sent content. Equal content is not sent again. */
    digest: text().notNull().default(""),
    createdAt: createdAt(),
    /**
     * Mastodon only: time from which the server may know `key`. The copy may exist even if no response
     * arrived.
     */
    triedAt: instant(),
    sentAt: instant(),
    /** Number of past searches for replies. `checkAt`: time of the next search; null: none. */
    checks: integer().notNull().default(0),
    checkAt: instant(),
  },
  (table) => [
    uniqueIndex("copies_post").on(table.postId, table.receiverId),
    index("copies_blog").on(table.blogId, table.id),
    index("copies_receiver").on(table.receiverId),
    index("copies_check").on(table.checkAt).where(sql`${table.checkAt} is not null`),
  ],
);

/** Pages that were notified of a post's links, so that removed links are reported too. */
export const sentMentions = sqliteTable(
  "sent_mentions",
  { postId: ownedBy(() => posts.id), target: text().notNull() },
  (table) => [primaryKey({ columns: [table.postId, table.target] })],
);
