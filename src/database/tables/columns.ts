import { type AnySQLiteColumn, integer } from "drizzle-orm/sqlite-core";

export const id = () => integer().primaryKey({ autoIncrement: true });
export const instant = () => integer({ mode: "timestamp_ms" });
export const createdAt = () => instant().notNull();
export const flag = () => integer({ mode: "boolean" }).notNull().default(false);

export const ownedBy = (id: () => AnySQLiteColumn) =>
  integer().notNull().references(id, { onDelete: "cascade" });
