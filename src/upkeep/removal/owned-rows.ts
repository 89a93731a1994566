import type { Database as Sqlite } from "bun:sqlite";
import { keysToRevokeWith } from "../../accounts/api-keys";
import type { Blog } from "../../blogs/blogs";
import type { Database, Platen } from "../../platen";

/** Table → SQL condition of the owned rows. A table comes after the tables that it references. */
export type OwnedRows = Map<string, string>;

/** Yields to the event loop during a removal. @throws if the removal is aborted */
export type Step = () => Promise<void>;

/** Rows with ON DELETE SET NULL are not owned. */
const FOREIGN_KEYS = `
  SELECT tables.name AS child, links."from" AS column, links."table" AS parent
  FROM sqlite_schema tables, pragma_foreign_key_list(tables.name) links
  WHERE tables.type = 'table' AND links.on_delete <> 'SET NULL' AND links."table" <> tables.name`;

export function findOwnedRows(db: Database, table: "accounts" | "blogs", id: number): OwnedRows {
  const links = db.$client.query<{ child: string; column: string; parent: string }, []>(FOREIGN_KEYS).all();
  const found: OwnedRows = new Map([[table, `id = ${id}`]]);
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

/** SQL query for the ids in `table` that rows of other tables refer to. */
export function idsReferredTo(client: Sqlite, table: string): string {
  const links = client.query<{ child: string; column: string }, [string]>(
    `SELECT tables.name AS child, links."from" AS column
     FROM main.sqlite_schema tables, pragma_foreign_key_list(tables.name, 'main') links
     WHERE tables.type = 'table' AND links."table" = ?`,
  );
  const queries = links.all(table).map(({ child, column }) => `SELECT ${column} FROM main.${child}`);
  return queries.join(" UNION ");
}

export function countOwnedRows(
  { $client }: Database,
  belongings: OwnedRows,
  table: string,
  condition = "TRUE",
): number {
  const rows = `SELECT count(*) AS n FROM ${table} WHERE (${belongings.get(table) ?? "FALSE"}) AND ${condition}`;
  return $client.query<{ n: number }, []>(rows).get()?.n ?? 0;
}

export function hasRowIds(client: Sqlite, table: string): boolean {
  const found = client.query<{ wr: number }, [string]>(
    "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?",
  );
  return found.get(table)?.wr === 0;
}

/** Includes drafts and the trash. `bytes` does not include renditions. */
export function measureBlog(platen: Platen, blog: Blog) {
  const belongings = findOwnedRows(platen.db, "blogs", blog.id);
  const count = (table: string, condition?: string) =>
    countOwnedRows(platen.db, belongings, table, condition);
  const sizes = `SELECT total(byte_size) AS bytes FROM blobs WHERE ${belongings.get("blobs")}`;
  return {
    posts: count("posts"),
    files: count("blobs"),
    bytes: platen.db.$client.query<{ bytes: number }, []>(sizes).get()?.bytes ?? 0,
    komments: count("komments"),
    messages: count("messages"),
    webhooks: count("receivers", "channel = 'webhook' AND removed_at IS NULL"),
    keys: keysToRevokeWith(platen, blog.id).filter(({ revokedAt }) => revokedAt === null).length,
  };
}
