import { Database as Sqlite } from "bun:sqlite";

/** The names in `values` lack the `$` of the SQL parameters. */
export interface ReadQuery {
  sql: string;
  values: Record<string, string | number | null>;
}

let connection: Sqlite | null = null;

/** Runs in a worker (see `readInWorker`). */
export function runReadOnly(file: string, queries: ReadQuery[]): unknown[][] {
  if (connection?.filename !== file) {
    connection?.close(false);
    connection = new Sqlite(file, { readonly: true, strict: true });
  }
  const reader = connection;
  return queries.map(({ sql, values }) => reader.query(sql).all(values));
}
