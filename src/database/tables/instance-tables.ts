import { sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Instance-wide values that must travel with the folder: the secret that signs attachment ids, and the like. */
export const settings = sqliteTable("settings", {
  name: text().primaryKey(),
  value: text().notNull(),
});
