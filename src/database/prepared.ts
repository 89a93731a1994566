import { and, type Column, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database, Platen } from "../platen";

/**
 * A statement built and prepared once per database.
 * `const withId = prepared((db) => db.select()….where(eq(blogs.id, sql.placeholder("id"))).prepare());`
 * is run as `withId(platen).get({ id })`, inside a transaction and outside.
 */
export function prepared<Statement>(
  build: (db: Database) => Statement,
): (platen: Pick<Platen, "db">) => Statement {
  const statements = new WeakMap<Database, Statement>();
  return ({ db }) => {
    let statement = statements.get(db);
    if (statement === undefined) {
      statement = build(db);
      statements.set(db, statement);
    }
    return statement;
  };
}

/**
 * What finds a row by these columns: `const withSlug = findRowBy(tags, ["blogId", "slug"])` is asked as `withSlug(platen, { blogId, slug })`.
 * @param besides what else is true of it
 */
export function findRowBy<Table extends SQLiteTable, Name extends string & keyof Table["$inferSelect"]>(
  table: Table,
  names: Name[],
  besides?: SQL,
) {
  type Row = Table["$inferSelect"];
  const columns = getTableColumns(table);
  const statement = prepared((db) => {
    const isAsked = names.map((name) => eq(columns[name] as Column, sql.placeholder(name)));
    return db
      .select()
      .from<SQLiteTable>(table)
      .where(and(...isAsked, besides))
      .prepare();
  });
  return (platen: Pick<Platen, "db">, given: Pick<Row, Name>): Row | undefined =>
    statement(platen).get(given);
}

/**
 * What inserts a row into the table and gives it as it is then, by one statement that is prepared once; what is not
 * given is the column's default, or null.
 */
export function prepareInsert<Table extends SQLiteTable>(table: Table) {
  const columns = Object.entries(getTableColumns(table));
  const placeholders = Object.fromEntries(columns.map(([name]) => [name, sql`${sql.placeholder(name)}`]));
  const statement = prepared((db) => {
    const insert = db.insert<SQLiteTable>(table).values(placeholders);
    const { sql: asked } = insert.returning({ id: sql<number>`rowid`.as("id") }).toSQL();
    return db.$client.query<{ id: number }, (string | number | null)[]>(asked);
  });
  return (platen: Platen, values: Table["$inferInsert"]): Table["$inferSelect"] => {
    const row = rowFrom(columns, values);
    const stored = columns.map(([name, column]) =>
      row[name] === null ? null : (column.mapToDriverValue(row[name]) as string | number),
    );
    const { id } = statement(platen).get(...stored) as { id: number };
    if ("id" in row) row.id = id;
    return row;
  };
}

/** What changes the row with an id and returns it as it is then; what is undefined stays as it is. */
export function prepareUpdate<Table extends SQLiteTable>(table: Table) {
  type Row = Table["$inferSelect"];
  const { id } = getTableColumns(table) as Record<string, Column>;
  return ({ db }: Platen, itsId: number, values: Partial<Row>): Row | undefined =>
    db
      .update<SQLiteTable>(table)
      .set(values)
      .where(eq(id as Column, itsId))
      .returning()
      .get() as Row | undefined;
}

/** The row that these values make; what is not given is the column's default, or null. */
export function rowOf<Table extends SQLiteTable>(
  table: Table,
  values: Table["$inferInsert"],
): Table["$inferSelect"] {
  return rowFrom(Object.entries(getTableColumns(table)), values);
}

function rowFrom(columns: [string, Column][], given: Record<string, unknown>): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [name, column] of columns) row[name] = given[name] ?? column.default ?? null;
  return row;
}

/** The condition "is one of the ids", however many there are. @param name of the placeholder, which is given them as JSON */
export function among(column: Column, name: string): SQL {
  return sql`${column} in (select value from json_each(${sql.placeholder(name)}))`;
}
