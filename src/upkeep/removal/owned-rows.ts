import type { Database as Sqlite } from "bun:sqlite";
import { keysEndingWith } from "../../accounts/keys";
import type { Blog } from "../../blogs/blogs";
import type { Database, Platen } from "../../platen";

/** Table → the SQL condition that its rows meet; a table comes after those that its rows point to. */
export type OwnedRows = Map<string, string>;

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
export function findOwnedRows(db: Database, table: "accounts" | "blogs", id: number): OwnedRows {
  const links = db.$client.query<Link, []>(LINKS).all();
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

/** @param condition that they meet besides, in SQL */
export function countOwnedRows(
  { $client }: Database,
  belongings: OwnedRows,
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

/** How much would go with a blog. */
interface RemovalSize {
  /** Pages, drafts and deleted ones too. */
  posts: number;
  files: number;
  /** Of the files, in bytes, without the sizes made from them. */
  bytes: number;
  komments: number;
  messages: number;
  webhooks: number;
  /** In use, apps' tokens among them. */
  keys: number;
}

export function measureBlog(platen: Platen, blog: Blog): RemovalSize {
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
    webhooks: count("webhooks", "removed_at IS NULL"),
    keys: keysEndingWith(platen, blog.id).filter(({ revokedAt }) => revokedAt === null).length,
  };
}
