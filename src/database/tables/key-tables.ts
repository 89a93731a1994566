import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { accounts } from "./account-tables";
import { blogs } from "./blog-tables";
import { createdAt, id, instant, ownedBy } from "./columns";

/** API keys. The key itself is shown once and never stored. */
export const keys = sqliteTable(
  "keys",
  {
    id: id(),
    accountId: ownedBy(() => accounts.id),
    name: text().notNull(),
    hash: text().notNull(),
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    createdAt: createdAt(),
    expiresAt: instant(),
    revokedAt: instant(),
    /** The app that got this key by signing in (IndieAuth client_id); null for a key made by hand. */
    clientId: text(),
    /** To the minute, see key-use. */
    lastUsedAt: instant(),
    /** Roughly where from then ("203.0.113.*"), and by which program. */
    lastUsedFrom: text().notNull().default(""),
    lastUsedBy: text().notNull().default(""),
    /** SHA-256 of the refresh token that this key may be renewed with. */
    refreshHash: text(),
  },
  (table) => [
    uniqueIndex("keys_hash").on(table.hash),
    uniqueIndex("keys_refresh").on(table.refreshHash),
    // Those of apps and those made by hand, each in the order in which they are listed: see keys-in-order.
    index("keys_account").on(
      table.accountId,
      sql`(client_id is not null)`,
      sql`(revoked_at is not null)`,
      sql`id desc`,
    ),
  ],
);

/** The blogs a key is bound to; a key without a row here reaches all blogs of its account. */
export const keyBlogs = sqliteTable(
  "key_blogs",
  {
    keyId: ownedBy(() => keys.id),
    blogId: ownedBy(() => blogs.id),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.blogId] }), index("key_blogs_blog").on(table.blogId)],
);

/** IndieAuth authorization codes: single-use, short-lived, bound to the app that asked (IndieAuth 5.2.1). */
export const authorizationCodes = sqliteTable(
  "authorization_codes",
  {
    hash: text().primaryKey(),
    accountId: ownedBy(() => accounts.id),
    /** The blog whose address is `me`. */
    blogId: ownedBy(() => blogs.id),
    /** The blogs the owner let the app reach; null: all of the account. */
    blogIds: text({ mode: "json" }).$type<number[]>(),
    clientId: text().notNull(),
    redirectUri: text().notNull(),
    challenge: text().notNull(),
    /** Everything granted, `profile` and `email` included; none: the app only learns who signed in. */
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    expiresAt: instant().notNull(),
    /** The key made with it: using a code twice revokes that. */
    usedForKeyId: integer().references(() => keys.id, { onDelete: "cascade" }),
    usedAt: instant(),
  },
  (table) => [
    index("authorization_codes_account").on(table.accountId),
    index("authorization_codes_blog").on(table.blogId),
    index("authorization_codes_key").on(table.usedForKeyId),
  ],
);

/** First answers to writes that carried an Idempotency-Key, kept for 24 hours. */
export const idempotentAnswers = sqliteTable(
  "idempotent_answers",
  {
    keyId: ownedBy(() => keys.id),
    idempotencyKey: text().notNull(),
    /** Method, path and body hashed: the same key with another request is a client's mistake. */
    request: text().notNull(),
    status: integer().notNull(),
    headers: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
    body: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [
    primaryKey({ columns: [table.keyId, table.idempotencyKey] }),
    index("idempotent_answers_age").on(table.createdAt),
  ],
);
