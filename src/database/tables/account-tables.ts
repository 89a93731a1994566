import { sql } from "drizzle-orm";
import { index, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, flag, id, instant, ownedBy } from "./columns";

export const accounts = sqliteTable(
  "accounts",
  {
    id: id(),
    email: text().notNull(),
    name: text().notNull(),
    passwordHash: text(),
    isAdmin: flag(),
    createdAt: createdAt(),
  },
  (table) => [uniqueIndex("accounts_email").on(sql`lower(${table.email})`)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    hash: text().primaryKey(),
    accountId: ownedBy(() => accounts.id),
    createdAt: createdAt(),
    expiresAt: instant().notNull(),
    /** Null: not since before this was kept. */
    lastSeenAt: instant(),
    /** "Firefox on Linux": no more of it is kept. */
    device: text().notNull().default(""),
    /** Where it was begun: the first parts of an address, "203.0.113.*". */
    place: text().notNull().default(""),
  },
  (table) => [index("sessions_account").on(table.accountId)],
);
