import { prepared } from "../../database/prepared";
import { readInWorker } from "../../database/reader/reader";
import { inSharedTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { contentOf } from "../storage/stored-content";
import { searchText } from "./indexed-text";

/** Indexes title and text of a post. Call it in the transaction that writes them. */
export function indexPost(platen: Platen, post: { id: number; title: string }, text: string): void {
  insert(platen).run(post.id, searchText(post.title), searchText(text));
}

const insert = prepared((db) =>
  db.$client.query("INSERT OR REPLACE INTO post_search (rowid, title, content) VALUES (?, ?, ?)"),
);

export function removeFromIndex(platen: Platen, postId: number): void {
  remove(platen).run(postId);
}

const remove = prepared((db) => db.$client.query("DELETE FROM post_search WHERE rowid = ?"));

const PAGES_PER_STEP = 200;

/** Merges FTS5 segments in steps, which removes words of purged posts from the file. */
export async function compactIndex(platen: Platen): Promise<void> {
  const { $client } = platen.db;
  const changes = () => $client.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
  const merge = (pages: number) =>
    inSharedTransaction(platen, () => {
      const before = changes();
      $client.run("INSERT INTO post_search (post_search, rank) VALUES ('merge', ?)", [pages]);
      return changes() - before >= 2;
    });
  // A negative number starts a full merge, a positive one continues it.
  for (let isMore = await merge(-PAGES_PER_STEP); isMore; ) isMore = await merge(PAGES_PER_STEP);
}

const MISSING = "SELECT id FROM posts WHERE deleted_at IS NULL AND id NOT IN (SELECT rowid FROM post_search)";
const EXTRA =
  "SELECT rowid AS id FROM post_search WHERE rowid NOT IN (SELECT id FROM posts WHERE deleted_at IS NULL)";

/** Indexes posts that are missing in the index after an upgrade or repair. */
export async function indexMissingPosts(platen: Platen): Promise<void> {
  const [missing] = await readInWorker<[{ id: number }]>(platen, [{ sql: MISSING, values: {} }]);
  for (const { id } of missing) await inSharedTransaction(platen, () => indexById(platen, id));
}

/** Adds missing and removes extra index entries. @returns numbers of missing and extra entries */
export function repairIndex(platen: Platen): { missing: number; extra: number } {
  const idsOf = (sql: string) => platen.db.$client.query<{ id: number }, []>(sql).all();
  const [missing, extra] = [idsOf(MISSING), idsOf(EXTRA)];
  for (const { id } of extra) removeFromIndex(platen, id);
  for (const { id } of missing) indexById(platen, id);
  return { missing: missing.length, extra: extra.length };
}

function indexById(platen: Platen, id: number): void {
  const post = titleOf(platen).get(id);
  if (post) indexPost(platen, post, contentOf(platen, id).text);
}

const titleOf = prepared((db) =>
  db.$client.query<{ id: number; title: string }, [number]>(
    "SELECT id, title FROM posts WHERE id = ? AND deleted_at IS NULL",
  ),
);
