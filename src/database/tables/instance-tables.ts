import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { accounts } from "./account-tables";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant, oneOf } from "./columns";

export const settings = sqliteTable("settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/**
 * Unfinished removals of blogs and accounts. A listed blog accepts no new content (triggers of migration
 * 0015). The ids are not foreign keys, because this row is deleted last.
 */
export const removals = sqliteTable(
  "removals",
  {
    id: id(),
    blogId: integer(),
    accountId: integer(),
    startedAt: createdAt(),
    /** Name of the copy's folder below removed/; null: inside the account's copy. */
    copy: text(),
    isKept: flag(),
  },
  (table) => [uniqueIndex("removals_blog").on(table.blogId)],
);

export const jobs = sqliteTable(
  "jobs",
  {
    id: id(),
    kind: text().notNull(),
    title: text().notNull(),
    blogId: integer().references(() => blogs.id, { onDelete: "cascade" }),
    /** null: started by a command or the server, or the account was deleted. */
    accountId: integer().references(() => accounts.id, { onDelete: "set null" }),
    given: text({ mode: "json" }).$type<unknown>().notNull(),
    state: oneOf(["queued", "running", "done", "failed", "cancelled"], "queued"),
    isCancelAsked: flag(),
    done: integer().notNull().default(0),
    /** 0: unknown. */
    total: integer().notNull().default(0),
    doing: text().notNull().default(""),
    bookmark: text({ mode: "json" }).$type<unknown>(),
    report: text({ mode: "json" }).$type<unknown>(),
    createdAt: createdAt(),
    begunAt: instant(),
    endedAt: instant(),
  },
  (table) => [
    index("jobs_unfinished").on(table.id).where(sql`${table.endedAt} is null`),
    index("jobs_blog").on(table.blogId, table.id),
    index("jobs_account").on(table.accountId, table.id),
  ],
);
