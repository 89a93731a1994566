import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../src/database/open";
import type { Database } from "../src/platen";

/** What the migrations make of an empty database: tables and what is in them, then what changes when they do. */
export function finishedSchema(): string {
  const folder = mkdtempSync(join(tmpdir(), "platen-schema-"));
  const db = openDatabase(folder);
  try {
    return [...madeBy(db, "type = 'table'"), ...rowsIn(db), ...madeBy(db, "type <> 'table'")].join(";\n");
  } finally {
    db.$client.close(false);
    rmSync(folder, { recursive: true });
  }
}

/** But for what SQLite makes by itself: the tables behind the search index, and indexes of primary keys. */
function madeBy({ $client }: Database, condition: string): string[] {
  return $client
    .query<{ sql: string }, []>(
      `SELECT sql FROM sqlite_schema JOIN pragma_table_list AS tables ON tables.name = tbl_name AND schema = 'main'
       WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'sqlite_%' AND tables.type <> 'shadow' AND sqlite_schema.${condition}
       ORDER BY sqlite_schema.rowid`,
    )
    .all()
    .map(({ sql }) => sql);
}

function rowsIn({ $client }: Database): string[] {
  const named = (type: string) =>
    $client
      .query<{ name: string }, [string]>(
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = ? AND name <> 'sqlite_schema'",
      )
      .all(type);
  const rows = (table: string) => $client.query<Record<string, Value>, []>(`SELECT * FROM "${table}"`).all();
  return [
    ...named("table").flatMap(({ name }) =>
      rows(name).map((row) => `INSERT INTO "${name}" VALUES (${Object.values(row).map(literal).join(", ")})`),
    ),
    // The settings of a search index, which it is told as it is told its words.
    ...named("virtual").flatMap(({ name }) =>
      rows(`${name}_config`)
        .filter(({ k }) => k !== "version")
        .map(({ k, v }) => `INSERT INTO "${name}" ("${name}", rank) VALUES (${literal(k)}, ${literal(v)})`),
    ),
  ];
}

type Value = string | number | null;

function literal(value: Value = null): string {
  return typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : String(value);
}
