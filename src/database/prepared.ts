import { type Column, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database, Platen } from "../platen";

/**
 * A statement built and prepared once per database: 1 µs a call instead of 30.
 * `const withId = prepared((db) => db.select()….where(eq(blogs.id, sql.placeholder("id"))).prepare());`
 * is run as `withId(platen).get({ id })`, inside a transaction and outside.
 */
export function prepared<Statement>(build: (db: Database) => Statement): (platen: Platen) => Statement {
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
 * What inserts a row into the table and gives it as it is then, by one statement that is prepared once; what is not
 * given is the column's default, or null.
 */
export function inserting<Table extends SQLiteTable>(table: Table) {
  const columns = Object.entries(getTableColumns(table));
  const placeholders = Object.fromEntries(columns.map(([name]) => [name, sql`${sql.placeholder(name)}`]));
  const statement = prepared((db) =>
    db.insert<SQLiteTable>(table).values(placeholders).returning({ id: sql<number>`rowid` }).prepare(),
  );
  return (platen: Platen, values: Table["$inferInsert"]): Table["$inferSelect"] => {
    const given: Record<string, unknown> = values;
    const row = Object.fromEntries(
      columns.map(([name, column]) => [name, given[name] ?? column.default ?? null]),
    );
    const stored = columns.map(([name, column]) => {
      return [name, row[name] === null ? null : column.mapToDriverValue(row[name])];
    });
    const { id } = statement(platen).get(Object.fromEntries(stored)) as { id: number };
    return "id" in row ? { ...row, id } : row;
  };
}

/** The condition "is one of the ids", however many there are. @param name of the placeholder, which is given them as JSON */
export function among(column: Column, name: string): SQL {
  return sql`${column} in (select value from json_each(${sql.placeholder(name)}))`;
}
