import { type AnySQLiteColumn, integer, text } from "drizzle-orm/sqlite-core";

export const id = () => integer().primaryKey({ autoIncrement: true });
export const instant = () => integer({ mode: "timestamp_ms" });
export const createdAt = () => instant().notNull();
export const flag = () => integer({ mode: "boolean" }).notNull().default(false);

export const ownedBy = (id: () => AnySQLiteColumn) =>
  integer().notNull().references(id, { onDelete: "cascade" });

/** The row cannot be deleted while rows refer to it. */
export const refersTo = (id: () => AnySQLiteColumn) => integer().notNull().references(id);

export const oneOf = <const Values extends [string, ...string[]]>(values: Values, standard: Values[number]) =>
  text({ enum: values }).notNull().default(standard);
