import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./account-tables";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant } from "./columns";

/** What takes longer than a request may: a row from the button that begins it to the report that stays (see jobs/). */
export const jobs = sqliteTable(
  "jobs",
  {
    id: id(),
    /** By it the program finds what does the work. */
    kind: text().notNull(),
    /** What it is called: "Check of everything". */
    title: text().notNull(),
    /** null: of the whole instance. */
    blogId: integer().references(() => blogs.id, { onDelete: "cascade" }),
    /** Who began it; null: somebody at a terminal, or an account that is gone. */
    accountId: integer().references(() => accounts.id, { onDelete: "set null" }),
    /** What it is to be done with, as its kind reads it. */
    given: text({ mode: "json" }).$type<unknown>().notNull(),
    state: text({ enum: ["queued", "running", "done", "failed", "cancelled"] })
      .notNull()
      .default("queued"),
    isCancelAsked: flag(),
    done: integer().notNull().default(0),
    /** 0 where nobody knows yet. */
    total: integer().notNull().default(0),
    /** What it is doing now, for people. */
    doing: text().notNull().default(""),
    /** Where its kind goes on after an interruption, as it reads it. */
    bookmark: text({ mode: "json" }).$type<unknown>(),
    /** What came of it, a JobReport. */
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
