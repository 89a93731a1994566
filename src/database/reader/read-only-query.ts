import { Database as Sqlite } from "bun:sqlite";

/** Values are bound by name, without the `$`. */
export interface ReadQuery {
  sql: string;
  values: Record<string, string | number | null>;
}

/** The connection of this thread, which ends with it. */
let connection: Sqlite | null = null;

/**
 * Runs the queries one after the other on a read-only connection. For the reader thread.
 * @param file path of the database
 * @returns the rows of each query
 */
export function runReadOnly(file: string, queries: ReadQuery[]): unknown[][] {
  if (connection?.filename !== file) {
    connection?.close(false);
    connection = new Sqlite(file, { readonly: true, strict: true });
  }
  const reader = connection;
  return queries.map(({ sql, values }) => reader.query(sql).all(values));
}
