import { Database as Sqlite } from "bun:sqlite";

/** A query and its named parameters, without the `$`. */
export interface ReadQuery {
  sql: string;
  values: Record<string, string | number | null>;
}

let connection: Sqlite | null = null;

/**
 * Runs queries on a read-only connection. For the reader thread.
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
