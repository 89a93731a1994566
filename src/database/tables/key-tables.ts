import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { accounts } from "./account-tables";
import { blogs } from "./blog-tables";
import { createdAt, id, instant, ownedBy } from "./columns";

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
    /** IndieAuth client_id; null: the user created the key. */
    clientId: text(),
    lastUsedAt: instant(),
    lastUsedFrom: text().notNull().default(""),
    lastUsedBy: text().notNull().default(""),
    refreshHash: text(),
  },
  (table) => [
    uniqueIndex("keys_hash").on(table.hash),
    uniqueIndex("keys_refresh").on(table.refreshHash),
    // Sort order of the two lists of keys: those of apps, and those that users created.
    index("keys_account").on(
      table.accountId,
      sql`(client_id is not null)`,
      sql`(revoked_at is not null)`,
      sql`id desc`,
    ),
  ],
);

/** Blogs that a key is limited to. A key without a row can access all blogs of its account. */
export const keyBlogs = sqliteTable(
  "key_blogs",
  { keyId: ownedBy(() => keys.id), blogId: ownedBy(() => blogs.id) },
  (table) => [primaryKey({ columns: [table.keyId, table.blogId] }), index("key_blogs_blog").on(table.blogId)],
);

export const authorizationCodes = sqliteTable(
  "authorization_codes",
  {
    hash: text().primaryKey(),
    accountId: ownedBy(() => accounts.id),
    blogId: ownedBy(() => blogs.id),
    /** null: all blogs of the account. */
    blogIds: text({ mode: "json" }).$type<number[]>(),
    clientId: text().notNull(),
    redirectUri: text().notNull(),
    challenge: text().notNull(),
    /** Empty: sign-in only. */
    scopes: text({ mode: "json" }).$type<string[]>().notNull(),
    expiresAt: instant().notNull(),
    /** The key issued for the code. A second use of the code revokes this key. */
    usedForKeyId: integer().references(() => keys.id, { onDelete: "cascade" }),
    usedAt: instant(),
  },
  (table) => [
    index("authorization_codes_account").on(table.accountId),
    index("authorization_codes_blog").on(table.blogId),
    index("authorization_codes_key").on(table.usedForKeyId),
  ],
);

export const idempotentAnswers = sqliteTable(
  "idempotent_answers",
  {
    keyId: ownedBy(() => keys.id),
    idempotencyKey: text().notNull(),
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
