import { Database as Sqlite } from "bun:sqlite";
import { runPageCheck } from "../../database/verified-copy";
import type { CheckFinding } from "./check-findings";

/** A Platen, or as much of one. */
interface Opened {
  db: { $client: Sqlite };
}

interface Dangling {
  table: string;
  rowid: number | null;
  parent: string;
}

/** Is this a database of ours at all? */
export function isPlatenDatabase(platen: Opened): boolean {
  return hasTable(platen, "__drizzle_migrations");
}

function hasTable({ db }: Opened, name: string): boolean {
  return db.$client.query("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== null;
}

/** What is looked for, in this order, by what it is looked for in. */
const PARTS = {
  "its pages": brokenPages,
  "what rows point to": danglingRows,
  "the counters": countFaults,
  "the search index": searchFaults,
};

type DatabasePart = keyof typeof PARTS;
export const DATABASE_PARTS = Object.keys(PARTS) as DatabasePart[];

/** What is wrong with the database; reads every page of it. */
export function checkDatabase(platen: Opened): CheckFinding[] {
  return DATABASE_PARTS.flatMap((part) => PARTS[part](platen));
}

/** The same of a part of it, on a connection of its own: for a thread. @param file of the database */
export function checkDatabasePart(file: string, part: DatabasePart): CheckFinding[] {
  using client = new Sqlite(file, { readonly: true, strict: true });
  return PARTS[part]({ db: { $client: client } });
}

function brokenPages(platen: Opened): CheckFinding[] {
  return runPageCheck(platen.db.$client, "integrity_check")
    .filter((found) => found !== "ok")
    .map((found) => ({
      kind: "places in the database are damaged",
      sentence: `The database is damaged: ${found}.`,
    }));
}

function danglingRows(platen: Opened): CheckFinding[] {
  return platen.db.$client
    .query<Dangling, []>("PRAGMA foreign_key_check")
    .all()
    .map(({ table, rowid, parent }) => ({
      kind: `rows of ${table} point to rows of ${parent} that are gone`,
      sentence: `Row ${rowid} of ${table} points to a row of ${parent} that is gone.`,
    }));
}

/** Numbers that triggers keep. */
interface Counter {
  table: string;
  /** What it counts: "posts". */
  of: string;
  /** What is to be in it, by counting, in the order of its columns. */
  counted: string;
  /** What is wrong where it is. */
  shows: string;
  /** Of a table that was there before it held that: an index that came with it. */
  since?: string;
}

const COUNTERS: Counter[] = [
  {
    table: "post_months",
    of: "months",
    counted: `SELECT blog_id, coalesce(strftime('%Y-%m', published_at / 1000, 'unixepoch'), '') AS month, count(*) FROM posts
       WHERE deleted_at IS NULL AND status = 'published' AND type = 'post' AND published_at IS NOT NULL GROUP BY blog_id, month`,
    shows: "Home shows wrong numbers of posts",
  },
  {
    table: "komment_months",
    of: "komments",
    counted: `SELECT blog_id, coalesce(strftime('%Y-%m', created_at / 1000, 'unixepoch'), '') AS month, count(*) FROM komments
       WHERE status <> 'refused' GROUP BY blog_id, month`,
    shows: "Home shows wrong numbers of komments",
  },
  {
    table: "media_totals",
    of: "files",
    counted: "SELECT blog_id, count(*), sum(byte_size) FROM blobs GROUP BY blog_id",
    shows: "Home shows a wrong number of files",
  },
  {
    table: "post_tags",
    of: "tags",
    counted: `SELECT post_id, tag_id, position, posts.status, posts.type, posts.hidden,
         iif(deleted_at IS NULL, coalesce(published_at, created_at), NULL)
       FROM post_tags JOIN posts ON id = post_id`,
    shows: "lists of tags show wrong posts",
    since: "post_tags_of_list",
  },
];

/** An older database may have none. */
export function findWrongCounters(platen: Opened): Counter[] {
  return COUNTERS.filter(({ table, counted, since = table }) => {
    if (!hasTable(platen, since)) return false;
    const { wrong } = platen.db.$client
      .query<{ wrong: number }, []>(
        `WITH counted AS (${counted})
         SELECT EXISTS (SELECT * FROM counted EXCEPT SELECT * FROM ${table})
           OR EXISTS (SELECT * FROM ${table} EXCEPT SELECT * FROM counted) AS wrong`,
      )
      .get() as { wrong: number };
    return Boolean(wrong);
  });
}

function countFaults(platen: Opened): CheckFinding[] {
  return findWrongCounters(platen).map(({ of, shows }) => ({
    kind: "faults of the counters",
    sentence: `The counters of ${of} are wrong: ${shows}.`,
  }));
}

/** Every post that is not deleted is in the search index, and nothing else is. An older database may have none. */
function searchFaults(platen: Opened): CheckFinding[] {
  if (!hasTable(platen, "post_search")) return [];
  const count = (question: string) => platen.db.$client.query<{ n: number }, []>(question).get()?.n ?? 0;
  const missing = count(
    `SELECT count(*) AS n FROM posts WHERE deleted_at IS NULL AND id NOT IN (SELECT rowid FROM post_search)`,
  );
  const extra = count(
    "SELECT count(*) AS n FROM post_search WHERE rowid NOT IN (SELECT id FROM posts WHERE deleted_at IS NULL)",
  );
  return [
    ...(missing > 0 ? [`The search index lacks ${missing} of the posts.`] : []),
    ...(extra > 0 ? [`The search index holds ${extra} that are gone.`] : []),
  ].map((sentence) => ({ kind: "faults of the search index", sentence }));
}

/** Posts and pages that are not deleted. */
export function countUndeletedPosts(platen: Opened): number {
  return (
    platen.db.$client
      .query<{ n: number }, []>("SELECT count(*) AS n FROM posts WHERE deleted_at IS NULL")
      .get()?.n ?? 0
  );
}
