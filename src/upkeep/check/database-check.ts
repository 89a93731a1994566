import { Database as Sqlite } from "bun:sqlite";
import { runPageCheck } from "../../database/verified-copy";
import type { CheckFinding } from "./check-findings";

interface HasDatabase {
  db: { $client: Sqlite };
}

interface DanglingRow {
  table: string;
  rowid: number | null;
  parent: string;
}

export function isPlatenDatabase(platen: HasDatabase): boolean {
  return hasTable(platen, "__drizzle_migrations");
}

function hasTable({ db }: HasDatabase, name: string): boolean {
  return db.$client.query("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== null;
}

const CHECKS = {
  pages: brokenPages,
  references: danglingRows,
  counters: counterProblems,
  "search index": searchIndexProblems,
};

type DatabasePart = keyof typeof CHECKS;
export const DATABASE_PARTS = Object.keys(CHECKS) as DatabasePart[];

export function checkDatabase(platen: HasDatabase): CheckFinding[] {
  return DATABASE_PARTS.flatMap((part) => CHECKS[part](platen));
}

/** Checks one part on its own connection, in a worker. @param file path of the database */
export function checkDatabasePart(file: string, part: DatabasePart): CheckFinding[] {
  using client = new Sqlite(file, { readonly: true, strict: true });
  return CHECKS[part]({ db: { $client: client } });
}

function brokenPages(platen: HasDatabase): CheckFinding[] {
  return runPageCheck(platen.db.$client, "integrity_check")
    .filter((found) => found !== "ok")
    .map((found) => ({
      kind: "parts of the database are damaged",
      sentence: `The database is damaged: ${found}.`,
    }));
}

function danglingRows(platen: HasDatabase): CheckFinding[] {
  return platen.db.$client
    .query<DanglingRow, []>("PRAGMA foreign_key_check")
    .all()
    .map(({ table, rowid, parent }) => ({
      kind: `rows of ${table} point to rows of ${parent} that no longer exist`,
      sentence: `Row ${rowid} of ${table} points to a row of ${parent} that no longer exists.`,
    }));
}

/** A table of counters that triggers maintain. */
interface Counter {
  table: string;
  /** The counted items: "posts". */
  items: string;
  /** Query that computes the correct rows. */
  counted: string;
  /** What users see while the numbers are wrong, as a sentence. */
  shows: string;
  /** Name of an index that came with the counters; only set if the table is older than its counters. */
  since?: string;
}

const COUNTERS: Counter[] = [
  {
    table: "komment_months",
    items: "komments",
    counted: `SELECT blog_id, coalesce(strftime('%Y-%m', created_at / 1000, 'unixepoch'), '') AS month, count(*) FROM komments
       WHERE status <> 'refused' GROUP BY blog_id, month`,
    shows: "Home shows wrong numbers of komments",
  },
  {
    table: "media_totals",
    items: "files",
    counted: "SELECT blog_id, count(*), sum(byte_size) FROM blobs GROUP BY blog_id",
    shows: "Home shows a wrong number of files",
  },
  {
    table: "post_tags",
    items: "tags",
    counted: `SELECT post_id, tag_id, position, posts.status, posts.type, posts.hidden,
         iif(deleted_at IS NULL, coalesce(published_at, created_at), NULL)
       FROM post_tags JOIN posts ON id = post_id`,
    shows: "lists of tags show wrong posts",
    since: "post_tags_of_list",
  },
];

/** Finds tables with wrong numbers. Skips tables that an older database lacks. */
export function findWrongCounters(platen: HasDatabase): Counter[] {
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

function counterProblems(platen: HasDatabase): CheckFinding[] {
  return findWrongCounters(platen).map(({ items, shows }) => ({
    kind: "wrong counters",
    sentence: `The counters of ${items} are wrong: ${shows}.`,
  }));
}

function searchIndexProblems(platen: HasDatabase): CheckFinding[] {
  if (!hasTable(platen, "post_search")) return [];
  const missing = count(
    platen,
    "posts WHERE deleted_at IS NULL AND id NOT IN (SELECT rowid FROM post_search)",
  );
  const extra = count(
    platen,
    "post_search WHERE rowid NOT IN (SELECT id FROM posts WHERE deleted_at IS NULL)",
  );
  return [
    ...(missing > 0 ? [`The search index lacks ${missing} of the posts.`] : []),
    ...(extra > 0 ? [`The search index contains ${extra} deleted posts.`] : []),
  ].map((sentence) => ({ kind: "errors of the search index", sentence }));
}

export function countUndeletedPosts(platen: HasDatabase): number {
  return count(platen, "posts WHERE deleted_at IS NULL");
}

function count({ db }: HasDatabase, rows: string): number {
  return db.$client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${rows}`).get()?.n ?? 0;
}
