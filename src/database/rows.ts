import type { SQLQueryBindings } from "bun:sqlite";
import { and, type Column, count, eq, getTableColumns, isNull, type SQL, sql } from "drizzle-orm";
import type { SelectedFields, SQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database, Platen } from "../platen";

// Most functions build a statement at each call. What runs for each request or delivery uses a statement that
// is prepared once: `prepared`, `prepareSql`, `prepareInsert`, `findRowBy`, `findRowByColumn`.

type HasDb = Pick<Platen, "db">;
type Row<Table extends SQLiteTable> = Table["$inferSelect"];
type Name<Table extends SQLiteTable> = string & keyof Row<Table>;
/** Values that the rows have, or another condition. */
type Where<Table extends SQLiteTable> = Partial<Row<Table>> | SQL | undefined;
type Changes<Table extends SQLiteTable> = { [Each in Name<Table>]?: Row<Table>[Each] | SQL };
type Term = SQLiteColumn | SQL;

interface Range {
  orderBy?: Term | Term[];
  limit?: number;
  /** Starts at 1. */
  page?: number;
  offset?: number;
}

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

function select<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  fields: SelectedFields,
  where: Where<Table>,
  { orderBy = [], limit = -1, page = 1, offset = (page - 1) * limit }: Range = {},
) {
  const found = db
    .select(fields)
    .from<SQLiteTable>(table)
    .where(where && conditionOf(table, where));
  return found
    .orderBy(...[orderBy].flat())
    .limit(limit)
    .offset(offset);
}

/** Without a condition, finds all rows. */
export function findRows<Table extends SQLiteTable, Selected extends Name<Table> = Name<Table>>(
  platen: HasDb,
  table: Table,
  where?: Where<Table>,
  range: Range & { columns?: readonly Selected[] } = {},
): Pick<Row<Table>, Selected>[] {
  const all = getTableColumns(table);
  const names = range.columns ?? (Object.keys(all) as Selected[]);
  const fields = Object.fromEntries(names.map((name) => [name, all[name] as SQLiteColumn]));
  return select(platen, table, fields, where, range).all() as Pick<Row<Table>, Selected>[];
}

/** @returns one column of the rows */
export function findValues<Table extends SQLiteTable, Selected extends Name<Table>>(
  platen: HasDb,
  table: Table,
  column: Selected,
  where?: Where<Table>,
  range: Range = {},
): Row<Table>[Selected][] {
  return findRows(platen, table, where, { ...range, columns: [column] }).map((row) => row[column]);
}

export function findRow<Table extends SQLiteTable>(
  platen: HasDb,
  table: Table,
  where: Where<Table>,
  orderBy?: Range["orderBy"],
): Row<Table> | undefined {
  return findRows(platen, table, conditionOf(table, where), { orderBy, limit: 1 })[0];
}

export function hasRow<Table extends SQLiteTable>(platen: HasDb, table: Table, where: Where<Table>) {
  // Without the limit, Drizzle's `get` would read all rows.
  return select(platen, table, { one: sql`1` }, conditionOf(table, where), { limit: 1 }).get() !== undefined;
}

export function countRows<Table extends SQLiteTable>(platen: HasDb, table: Table, where?: Where<Table>) {
  return Number(select(platen, table, { n: count() }, where).get()?.n);
}

/** @returns the highest id, or 0 for an empty table */
export function lastId({ db: { $client } }: HasDb, table: string): number {
  return $client.query<{ id: number | null }, []>(`SELECT max(id) AS id FROM ${table}`).get()?.id ?? 0;
}

export function insertRow<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  values: Table["$inferInsert"],
): Row<Table> {
  return db.insert<SQLiteTable>(table).values(values).returning().get();
}

/** @returns undefined if a row conflicts with a unique index. That row stays as it is. */
export function insertIfNew<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  values: Table["$inferInsert"],
): Row<Table> | undefined {
  return db.insert<SQLiteTable>(table).values(values).onConflictDoNothing().returning().get();
}

/**
 * Inserts a row, or updates the row with the same values in `key`.
 * @param key columns of a unique index
 * @param fixed columns that an existing row keeps
 */
export function upsertRow<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  values: Table["$inferInsert"],
  key: Name<Table>[],
  fixed: Name<Table>[] = [],
): Row<Table> {
  const columns: Record<string, SQLiteColumn> = getTableColumns(table);
  const set: Record<string, unknown> = { ...values };
  for (const name of [...key, ...fixed]) delete set[name];
  const target = key.map((name) => columns[name] as SQLiteColumn);
  const insertion = db.insert<SQLiteTable>(table).values(values);
  return insertion.onConflictDoUpdate({ target, set }).returning().get();
}

/** @returns number of changed rows */
export function updateRows<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  where: Where<Table>,
  changes: Changes<Table>,
): number {
  return changedRows(db.update<SQLiteTable>(table).set(changes).where(conditionOf(table, where)).run());
}

/** Drizzle's type lacks the result of `run`. */
function changedRows(result: unknown): number {
  return (result as { changes: number }).changes;
}

/** @returns the first changed row, or undefined */
export function updateRow<Table extends SQLiteTable>(
  { db }: HasDb,
  table: Table,
  where: Where<Table>,
  changes: Changes<Table>,
): Row<Table> | undefined {
  return db.update<SQLiteTable>(table).set(changes).where(conditionOf(table, where)).returning().get();
}

/** @returns number of deleted rows */
export function deleteRows<Table extends SQLiteTable>({ db }: HasDb, table: Table, where: Where<Table>) {
  return changedRows(db.delete<SQLiteTable>(table).where(conditionOf(table, where)).run());
}

/** @returns the first deleted row, or undefined */
export function deleteRow<Table extends SQLiteTable>({ db }: HasDb, table: Table, where: Where<Table>) {
  const deletion = db.delete<SQLiteTable>(table).where(conditionOf(table, where));
  return deletion.returning().get() as Row<Table> | undefined;
}

/** Prepares a statement at its first use, once per database. */
export function prepared<Statement>(build: (db: Database) => Statement) {
  const statements = new WeakMap<Database, Statement>();
  return ({ db }: HasDb): Statement => statements.getOrInsertComputed(db, build);
}

export function prepareSql<Row, Parameters extends SQLQueryBindings[]>(query: string) {
  return prepared((db) => db.$client.query<Row, Parameters>(query));
}

export function findRowBy<Table extends SQLiteTable, Key extends Name<Table>>(
  table: Table,
  names: Key[],
  condition?: SQL,
) {
  const columns = getTableColumns(table);
  const statement = prepared((db) => {
    const areEqual = names.map((name) => eq(columns[name] as Column, sql.placeholder(name)));
    return db
      .select()
      .from<SQLiteTable>(table)
      .where(and(...areEqual, condition))
      .prepare();
  });
  return (platen: HasDb, given: Pick<Row<Table>, Key>): Row<Table> | undefined =>
    statement(platen).get(given);
}

export function findRowByColumn<Table extends SQLiteTable, Key extends Name<Table>>(
  table: Table,
  name: Key,
  condition?: SQL,
) {
  const find = findRowBy(table, [name], condition);
  return (platen: HasDb, value: Row<Table>[Key]) => find(platen, { [name]: value } as Pick<Row<Table>, Key>);
}

/** A missing or null value becomes the column's default, or null. */
export function prepareInsert<Table extends SQLiteTable>(table: Table) {
  const columns = Object.entries(getTableColumns(table));
  const placeholders = Object.fromEntries(columns.map(([name]) => [name, sql`${sql.placeholder(name)}`]));
  const statement = prepared((db) => {
    const insert = db.insert<SQLiteTable>(table).values(placeholders);
    const { sql: query } = insert.returning({ id: sql<number>`rowid`.as("id") }).toSQL();
    return db.$client.query<{ id: number }, (string | number | null)[]>(query);
  });
  return (platen: Platen, values: Table["$inferInsert"]): Row<Table> => {
    const row: Record<string, unknown> = rowOf(table, values);
    const stored = columns.map(([name, column]) =>
      row[name] === null ? null : (column.mapToDriverValue(row[name]) as string | number),
    );
    const { id } = statement(platen).get(...stored) as { id: number };
    if ("id" in row) row.id = id;
    return row;
  };
}

export function rowOf<Table extends SQLiteTable>(table: Table, values: Table["$inferInsert"]): Row<Table> {
  const given: Record<string, unknown> = values;
  const columns = Object.entries(getTableColumns(table));
  return Object.fromEntries(
    columns.map(([name, { default: value }]) => [name, given[name] ?? value ?? null]),
  );
}

/** Unlike `inArray`, this condition has one parameter for any number of ids. */
export function among(column: Column, ids: number[]): SQL {
  return sql`${column} in (select value from json_each(${JSON.stringify(ids)}))`;
}
