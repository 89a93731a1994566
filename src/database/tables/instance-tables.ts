import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, flag, id } from "./columns";

/** Instance-wide values, for example secrets. */
export const settings = sqliteTable("settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/**
 * Unfinished removals of blogs and accounts. A listed blog is hidden and accepts no writes (triggers of migration 0015).
 * The ids are not foreign keys: this row is deleted last.
 */
export const removals = sqliteTable(
  "removals",
  {
    id: id(),
    /** null: the row removes the account itself. */
    blogId: integer(),
    /** null: the row removes only the blog. */
    accountId: integer(),
    startedAt: createdAt(),
    /** Name of the copy's folder below removed/; null: inside the account's copy. */
    copy: text(),
    /** The copy is complete, so the removal can no longer be cancelled. */
    isKept: flag(),
  },
  (table) => [uniqueIndex("removals_blog").on(table.blogId)],
);
