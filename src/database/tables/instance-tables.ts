import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { createdAt, flag, id } from "./columns";

/** Instance-wide values that must travel with the folder: the secret that signs attachment ids, and the like. */
export const settings = sqliteTable("settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});

/**
 * What is being removed, and the blogs that go with an account. From the first moment nobody finds it, and nothing new is
 * stored in it (triggers of migration 0015); its rows and files go afterwards, and this row with the last of them. So the
 * ids are no foreign keys.
 */
export const removals = sqliteTable(
  "removals",
  {
    id: id(),
    /** Null: the account itself. */
    blogId: integer(),
    /** Null: the blog alone. */
    accountId: integer(),
    startedAt: createdAt(),
    /** The name that its copy is to have below removed/; null: it is in the account's. */
    copy: text(),
    /** The copy is whole: there is no way back. */
    isKept: flag(),
  },
  (table) => [uniqueIndex("removals_blog").on(table.blogId)],
);
