import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { accounts } from "./account-tables";
import { blogs } from "./blog-tables";
import { createdAt, flag, id, instant } from "./columns";

/** Background jobs (see jobs/). */
export const jobs = sqliteTable(
  "jobs",
  {
    id: id(),
    kind: text().notNull(),
    /** For example "Check of everything". */
    title: text().notNull(),
    /** null: the whole instance. */
    blogId: integer().references(() => blogs.id, { onDelete: "cascade" }),
    /** Who started it; null: a command, or a deleted account. */
    accountId: integer().references(() => accounts.id, { onDelete: "set null" }),
    /** Input, defined by its kind. */
    given: text({ mode: "json" }).$type<unknown>().notNull(),
    state: text({ enum: ["queued", "running", "done", "failed", "cancelled"] })
      .notNull()
      .default("queued"),
    isCancelAsked: flag(),
    done: integer().notNull().default(0),
    /** 0: unknown. */
    total: integer().notNull().default(0),
    /** Current step, as text. */
    doing: text().notNull().default(""),
    /** Where to resume, defined by its kind. */
    bookmark: text({ mode: "json" }).$type<unknown>(),
    /** A JobReport. */
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
