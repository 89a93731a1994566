import type { SQLQueryBindings } from "bun:sqlite";
import { and, type Column, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database, Platen } from "../platen";

/** Prepares a statement at its first use, once per database. */
export function prepared<Statement>(build: (db: Database) => Statement) {
  const statements = new WeakMap<Database, Statement>();
  return ({ db }: Pick<Platen, "db">): Statement => statements.getOrInsertComputed(db, build);
}

export function prepareSql<Row, Parameters extends SQLQueryBindings[]>(query: string) {
  return prepared((db) => db.$client.query<Row, Parameters>(query));
}

export function findRowBy<Table extends SQLiteTable, Name extends string & keyof Table["$inferSelect"]>(
  table: Table,
  names: Name[],
  condition?: SQL,
) {
  type Row = Table["$inferSelect"];
  const columns = getTableColumns(table);
  const statement = prepared((db) => {
    const areEqual = names.map((name) => eq(columns[name] as Column, sql.placeholder(name)));
    return db
      .select()
      .from<SQLiteTable>(table)
      .where(and(...areEqual, condition))
      .prepare();
  });
  return (platen: Pick<Platen, "db">, given: Pick<Row, Name>): Row | undefined =>
    statement(platen).get(given);
}

export function findRowByColumn<Table extends SQLiteTable, Name extends string & keyof Table["$inferSelect"]>(
  table: Table,
  name: Name,
  condition?: SQL,
) {
  const find = findRowBy(table, [name], condition);
  return (platen: Pick<Platen, "db">, value: Table["$inferSelect"][Name]) =>
    find(platen, { [name]: value } as Pick<Table["$inferSelect"], Name>);
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
  return (platen: Platen, values: Table["$inferInsert"]): Table["$inferSelect"] => {
    const row: Record<string, unknown> = rowOf(table, values);
    const stored = columns.map(([name, column]) =>
      row[name] === null ? null : (column.mapToDriverValue(row[name]) as string | number),
    );
    const { id } = statement(platen).get(...stored) as { id: number };
    if ("id" in row) row.id = id;
    return row;
  };
}

export function rowOf<Table extends SQLiteTable>(
  table: Table,
  values: Table["$inferInsert"],
): Table["$inferSelect"] {
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
