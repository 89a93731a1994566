import { type AnySQLiteColumn, integer } from "drizzle-orm/sqlite-core";

export const id = () => integer().primaryKey({ autoIncrement: true });
/** A Date, stored as milliseconds since 1970 UTC; null where not said otherwise. */
export const instant = () => integer({ mode: "timestamp_ms" });
export const createdAt = () => instant().notNull();
/** No, unless said. */
export const flag = () => integer({ mode: "boolean" }).notNull().default(false);

/** The row belongs to another and is deleted with it: `blogId: ownedBy(() => blogs.id)`. */
export const ownedBy = (id: () => AnySQLiteColumn) =>
  integer().notNull().references(id, { onDelete: "cascade" });
