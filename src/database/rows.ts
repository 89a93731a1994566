import { and, type Column, count, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Platen } from "../platen";

type HasDb = Pick<Platen, "db">;
type Row<Table extends SQLiteTable> = Table["$inferSelect"];
/** Values that the rows have, or another condition. */
type Where<Table extends SQLiteTable> = Partial<Row<Table>> | SQL | undefined;

/** True for rows with all these values. null matches NULL. */
export function hasValues<Table extends SQLiteTable>(table: Table, values: Partial<Row<Table>>): SQL {
  const columns: Record<string, Column> = getTableColumns(table);
  const conditions = Object.entries(values).map(([name, value]) => {
    // Without this, a forgotten value would match all rows.
    if (value === undefined) throw new TypeError(`${name} has no value`);
    return value === null ? isNull(columns[name] as Column) : eq(columns[name] as Column, value);
  });
  if (conditions.length === 0) throw new TypeError("a value is needed");
  return and(...conditions) as SQL;
}

function conditionOf<Table extends SQLiteTable>(table: Table, where: Where<Table>): SQL {
  if (where === undefined) throw new TypeError("a condition is needed");
  return "getSQL" in where ? (where as SQL) : hasValues(table, where as Partial<Row<Table>>);
}

/** Builds its statement at each call. What runs for each request or delivery uses `findRowBy` or `prepareSql`. */
export function findRow<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  where: Where<Table>,
): Row<Table> | undefined {
  return db.select().from<SQLiteTable>(table).where(conditionOf(table, where)).limit(1).get();
}

export function hasRow<Table extends SQLiteTable>({ db }: HasDb, table: Table, where: Where<Table>): boolean {
  const found = db.select({ one: sql`1` }).from<SQLiteTable>(table).where(conditionOf(table, where));
  return found.limit(1).get() !== undefined;
}

export function countRows<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  where: Where<Table>,
): number {
  const found = db.select({ n: count() }).from<SQLiteTable>(table).where(conditionOf(table, where)).get();
  return found?.n ?? 0;
}

export function insertRow<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  values: Table["$inferInsert"],
): Row<Table> {
  return db.insert<SQLiteTable>(table).values(values).returning().get();
}

export function updateRows<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  where: Where<Table>,
  changes: Partial<Row<Table>>,
): void {
  db.update<SQLiteTable>(table).set(changes).where(conditionOf(table, where)).run();
}

export function deleteRows<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  where: Where<Table>,
): void {
  db.delete<SQLiteTable>(table).where(conditionOf(table, where)).run();
}
