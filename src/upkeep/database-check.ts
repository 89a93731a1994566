import { inTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import type { Finding } from "./findings";

interface Dangling {
  table: string;
  rowid: number | null;
  parent: string;
}

/** Is this a database of ours at all? */
export function isPlatenDatabase(platen: Pick<Platen, "db">): boolean {
  return hasTable(platen, "__drizzle_migrations");
}

function hasTable({ db }: Pick<Platen, "db">, name: string): boolean {
  return db.$client.query("SELECT 1 FROM sqlite_master WHERE name = ?").get(name) !== null;
}

/** What is wrong with the database; reads every page of it. */
export function databaseFaults(platen: Platen): Finding[] {
  return [...brokenPages(platen), ...danglingRows(platen), ...countFaults(platen), ...searchFaults(platen)];
}

function brokenPages(platen: Platen): Finding[] {
  return platen.db.$client
    .query<{ integrity_check: string }, []>("PRAGMA integrity_check")
    .all()
    .filter((row) => row.integrity_check !== "ok")
    .map((row) => ({
      kind: "places in the database are damaged",
      sentence: `The database is damaged: ${row.integrity_check}.`,
    }));
}

function danglingRows(platen: Platen): Finding[] {
  return platen.db.$client
    .query<Dangling, []>("PRAGMA foreign_key_check")
    .all()
    .map(({ table, rowid, parent }) => ({
      kind: `rows of ${table} point to rows of ${parent} that are gone`,
      sentence: `Row ${rowid} of ${table} points to a row of ${parent} that is gone.`,
    }));
}

/** What the counters are to say, by counting, in the order of their columns. */
const COUNTED = ["0", "(coalesce(published_at, created_at) + 100000000000000) / 2592000000"]
  // The period is that of migration 0003; 0 stands for all of them.
  .map(
    (period) =>
      `SELECT blog_id, ${period} AS period, status, type, coalesce(category_id, 0) AS category, hidden, skip_archive, count(*)
       FROM posts WHERE deleted_at IS NULL GROUP BY blog_id, period, status, type, category, hidden, skip_archive`,
  )
  .join(" UNION ALL ");

/** An older database may have none. */
function areCountersRight(platen: Platen): boolean {
  if (!hasTable(platen, "post_counts")) return true;
  const { wrong } = platen.db.$client
    .query<{ wrong: number }, []>(
      `WITH counted AS (${COUNTED})
       SELECT EXISTS (SELECT * FROM counted EXCEPT SELECT * FROM post_counts)
         OR EXISTS (SELECT * FROM post_counts EXCEPT SELECT * FROM counted) AS wrong`,
    )
    .get() as { wrong: number };
  return !wrong;
}

function countFaults(platen: Platen): Finding[] {
  if (areCountersRight(platen)) return [];
  return [
    { kind: "faults of the counters", sentence: "The counters of posts are wrong: lists show wrong totals." },
  ];
}

/** Counts posts anew where the counters are wrong; triggers keep them right from then on. @returns whether they were wrong */
export function repairCounters(platen: Platen): boolean {
  return inTransaction(platen, () => {
    if (areCountersRight(platen)) return false;
    for (const change of ["DELETE FROM post_counts", `INSERT INTO post_counts ${COUNTED}`])
      platen.db.$client.run(change);
    return true;
  });
}

/** Every post that is not deleted is to be in the search index, and nothing else. An older database may have none. */
function searchFaults(platen: Platen): Finding[] {
  if (!hasTable(platen, "post_search")) return [];
  const count = (question: string) => platen.db.$client.query<{ n: number }, []>(question).get()?.n ?? 0;
  const missing = count(
    "SELECT count(*) AS n FROM posts WHERE deleted_at IS NULL AND id NOT IN (SELECT rowid FROM post_search)",
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
export function countPosts(platen: Platen): number {
  return (
    platen.db.$client
      .query<{ n: number }, []>("SELECT count(*) AS n FROM posts WHERE deleted_at IS NULL")
      .get()?.n ?? 0
  );
}
