/**
 * The minimal server for comparison: `Bun.serve` with prepared responses, or one prepared statement and
 * `JSON.stringify`, or one synced commit. Reads `BareContents` from stdin, and prints its port.
 */
import { Database } from "bun:sqlite";

export interface BareContents {
  database: string;
  ready: Record<string, { headers: Record<string, string>; body: string }>;
  posts: BarePost[];
}

export interface BarePost {
  id: number;
  title: string;
  content: { html: string; text: string };
}

type Row = Record<string, string | number | null>;

if (import.meta.main) serve(await Bun.stdin.json());

function serve({ database, ready, posts }: BareContents): void {
  const db = new Database(database, { create: true, strict: true });
  db.run("PRAGMA journal_mode = WAL");
  db.run("PRAGMA synchronous = FULL");
  db.run("PRAGMA wal_autocheckpoint = 0");
  const rows = posts.map((post, position) => ({ position, ...flatten(post) }));
  const columns = Object.keys(rows[0] ?? {});
  const heads = columns.filter((name) => !name.startsWith("content_"));
  db.run(`CREATE TABLE posts (${columns.join(", ")}, PRIMARY KEY (id))`);
  db.run("CREATE UNIQUE INDEX posts_position ON posts (position)");
  db.run("CREATE VIRTUAL TABLE words USING fts5 (title, text, content='')");

  const insertRow = db.prepare(`INSERT INTO posts VALUES (${columns.map((name) => `$${name}`)})`);
  const insertWords = db.prepare("INSERT INTO words (rowid, title, text) VALUES (?, ?, ?)");
  const insert = db.transaction((row: Row) => {
    insertRow.run(row);
    insertWords.run(row.id ?? 0, row.title ?? "", row.content_text ?? "");
  });
  db.transaction(() => rows.forEach((row) => void insert(row)))();

  const list = (shown: string[]) =>
    db.prepare<Row, [number]>(`SELECT ${shown} FROM posts ORDER BY position LIMIT 20 OFFSET ?`);
  const [withContent, withoutContent] = [list(columns), list(heads)];
  const read = db.prepare<Row, [number]>(`SELECT ${columns} FROM posts WHERE id = ?`);
  const search = db.prepare<Row, [string]>(
    `SELECT ${heads} FROM posts WHERE id IN (SELECT rowid FROM words WHERE words MATCH ?) ORDER BY position LIMIT 20`,
  );

  const json = (what: unknown, status = 200) =>
    new Response(JSON.stringify(what), { status, headers: { "content-type": "application/json" } });
  let created = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    routes: {
      ...Object.fromEntries(
        Object.entries(ready).map(([path, { headers, body }]) => [
          path,
          () => new Response(body, { headers }),
        ]),
      ),
      "/list/:from": ({ params }) => json({ posts: withContent.all(Number(params.from)) }),
      "/heads/:from": ({ params }) => json({ posts: withoutContent.all(Number(params.from)) }),
      "/post/:id": ({ params }) => json({ post: read.get(Number(params.id)) }),
      "/search/:word": ({ params }) => json({ posts: search.all(`"${params.word}"*`) }),
      "/create": {
        POST: async (request) => {
          const { post } = (await request.json()) as { post: { title: string; content: string } };
          const html = post.content;
          const row = { ...rows[0], ...post, content_html: html, content_text: html };
          insert.immediate({ ...pick(row, columns), id: 1_000_000 + ++created, position: -created });
          return json({ post: row }, 201);
        },
      },
    },
  });
  console.log(server.port);
}

function flatten(post: object, before = ""): Row {
  const row: Row = {};
  for (const [name, value] of Object.entries(post))
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      Object.assign(row, flatten(value, `${before}${name}_`));
    else
      row[before + name] =
        typeof value === "object" && value !== null ? JSON.stringify(value) : columnOf(value);
  return row;
}

function columnOf(value: string | number | boolean | null): string | number | null {
  return typeof value === "boolean" ? Number(value) : value;
}

function pick(row: Row, columns: string[]): Row {
  return Object.fromEntries(columns.map((name) => [name, row[name] ?? null]));
}
