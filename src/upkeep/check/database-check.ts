import { inTransaction } from "../../database/transactions";
import { runPageCheck } from "../../database/verified-copy";
import type { Platen } from "../../platen";
import { grouped } from "../../text/numbers";

type HasDatabase = Pick<Platen, "db">;

export interface CheckFinding {
  kind: string;
  sentence: string;
}

/** @param kind completes "And 7 more …" */
export function finding(kind: string, sentence: string): CheckFinding {
  return { kind, sentence };
}

const MAX_PER_KIND = 10;

export function summarizeFindings(findings: CheckFinding[]): string[] {
  return [...Map.groupBy(findings, ({ kind }) => kind)].flatMap(([kind, all]) => {
    const lines = all.slice(0, MAX_PER_KIND).map(({ sentence }) => sentence);
    const more = all.length - lines.length;
    return more > 0 ? [...lines, `And ${grouped(more)} more ${kind}.`] : lines;
  });
}

export function isPlatenDatabase(platen: HasDatabase): boolean {
  return hasTable(platen, "__drizzle_migrations");
}

function hasTable({ db }: HasDatabase, name: string): boolean {
  return db.$client.query("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== null;
}

export function checkDatabase(platen: HasDatabase): CheckFinding[] {
  const checks = [brokenPages, danglingRows, tagProblems, searchIndexProblems];
  return checks.flatMap((check) => check(platen));
}

function brokenPages(platen: HasDatabase): CheckFinding[] {
  return runPageCheck(platen.db.$client, "integrity_check")
    .filter((found) => found !== "ok")
    .map((found) => finding("parts of the database are damaged", `The database is damaged: ${found}.`));
}

function danglingRows(platen: HasDatabase): CheckFinding[] {
  return platen.db.$client
    .query<{ table: string; rowid: number | null; parent: string }, []>("PRAGMA foreign_key_check")
    .all()
    .map(({ table, rowid, parent }) =>
      finding(
        `rows of ${table} point to rows of ${parent} that no longer exist`,
        `Row ${rowid} of ${table} points to a row of ${parent} that no longer exists.`,
      ),
    );
}

/** The correct rows of `post_tags`. A trigger maintains the copied columns (migration 0010). */
const TAG_ROWS = `SELECT post_id, tag_id, position, posts.status, posts.type, posts.hidden,
    iif(deleted_at IS NULL, coalesce(published_at, created_at), NULL)
  FROM post_tags JOIN posts ON id = post_id`;

/** False if the database is older than the index `post_tags_of_list`. */
export function hasWrongTags(platen: HasDatabase): boolean {
  if (!hasTable(platen, "post_tags_of_list")) return false;
  const different = `WITH correct AS (${TAG_ROWS})
    SELECT * FROM (SELECT * FROM correct EXCEPT SELECT * FROM post_tags)
    UNION ALL SELECT * FROM (SELECT * FROM post_tags EXCEPT SELECT * FROM correct) LIMIT 1`;
  return platen.db.$client.query(different).get() !== null;
}

/** @returns whether lists were wrong */
export function repairTags(platen: Platen): boolean {
  return inTransaction(platen, () => {
    if (!hasWrongTags(platen)) return false;
    const { $client } = platen.db;
    $client.run(`CREATE TEMP TABLE correct AS ${TAG_ROWS}`);
    $client.run("DELETE FROM post_tags");
    $client.run("INSERT INTO post_tags SELECT * FROM correct");
    $client.run("DROP TABLE correct");
    return true;
  });
}

function tagProblems(platen: HasDatabase): CheckFinding[] {
  return hasWrongTags(platen) ? [finding("wrong lists of tags", "Lists of tags show wrong posts.")] : [];
}

function searchIndexProblems(platen: HasDatabase): CheckFinding[] {
  if (!hasTable(platen, "post_search")) return [];
  const undeleted = "posts WHERE deleted_at IS NULL";
  const missing = count(platen, `${undeleted} AND id NOT IN (SELECT rowid FROM post_search)`);
  const extra = count(platen, `post_search WHERE rowid NOT IN (SELECT id FROM ${undeleted})`);
  return [
    ...(missing > 0 ? [`The search index lacks ${missing} of the posts.`] : []),
    ...(extra > 0 ? [`The search index contains ${extra} deleted posts.`] : []),
  ].map((sentence) => finding("errors of the search index", sentence));
}

export function countUndeletedPosts(platen: HasDatabase): number {
  return count(platen, "posts WHERE deleted_at IS NULL");
}

function count({ db }: HasDatabase, rows: string): number {
  return db.$client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${rows}`).get()?.n ?? 0;
}
