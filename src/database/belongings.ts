import type { Database as Sqlite } from "bun:sqlite";
import type { Database } from "../platen";

/** Table → the SQL condition that its rows meet; a table comes after those that its rows point to. */
export type Belongings = Map<string, string>;

interface Link {
  child: string;
  column: string;
  parent: string;
}

/** A link that would be set null (the page a message was written on) makes no row belong. */
const LINKS = `
  SELECT tables.name AS child, links."from" AS column, links."table" AS parent
  FROM sqlite_schema tables, pragma_foreign_key_list(tables.name) links
  WHERE tables.type = 'table' AND links.on_delete <> 'SET NULL' AND links."table" <> tables.name`;

/** A row and all rows that could not be without it, in any table there is: by their foreign keys, and theirs. */
export function belongingsOf(db: Database, table: "accounts" | "blogs", id: number): Belongings {
  const links = db.$client.query<Link, []>(LINKS).all();
  const found: Belongings = new Map([[table, `id = ${id}`]]);
  const conditionOf = (child: string): string | undefined => {
    const ways = links
      .filter((link) => link.child === child && !found.has(child))
      .map(({ column, parent }) => ({ column, parent, condition: conditionOf(parent) }))
      .filter(({ condition }) => condition !== undefined)
      .map(({ column, parent, condition }) => `${column} IN (SELECT id FROM ${parent} WHERE ${condition})`);
    if (ways.length > 0) found.set(child, ways.join(" OR "));
    return found.get(child);
  };
  for (const { child } of links) conditionOf(child);
  return found;
}

/** @param condition that they meet besides, in SQL */
export function countBelonging(
  { $client }: Database,
  belongings: Belongings,
  table: string,
  condition = "TRUE",
): number {
  const rows = `SELECT count(*) AS n FROM ${table} WHERE (${belongings.get(table) ?? "FALSE"}) AND ${condition}`;
  return $client.query<{ n: number }, []>(rows).get()?.n ?? 0;
}

/** Can its rows be told by `rowid`? */
export function hasRowIds(client: Sqlite, table: string): boolean {
  const found = client.query<{ wr: number }, [string]>(
    "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
  );
  return found.get(table)?.wr === 0;
}
