import { inSharedTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { runListStatements } from "../lists/selecting-and-paging";
import { postRow } from "../storage/post-rows";
import { contentOf } from "../storage/stored-posts";
import { searchText } from "./searchable-text";

/** Call this function in the transaction that writes title and text. */
export function indexPost({ db }: Platen, post: { id: number; title: string }, text: string): void {
  const insertion = "INSERT OR REPLACE INTO post_search (rowid, title, content) VALUES (?, ?, ?)";
  db.$client.query(insertion).run(post.id, searchText(post.title), searchText(text));
}

export function removeFromIndex({ db }: Platen, postId: number): void {
  db.$client.query("DELETE FROM post_search WHERE rowid = ?").run(postId);
}

const PAGES_PER_STEP = 200;

/** Merges FTS5 segments, which removes the words of deleted posts from the index. */
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

export async function indexMissingPosts(platen: Platen): Promise<void> {
  const [missing] = await runListStatements<[{ id: number }]>(platen, [{ sql: MISSING, values: {} }]);
  for (const { id } of missing) await inSharedTransaction(platen, () => indexById(platen, id));
}

export function repairIndex(platen: Platen): { missing: number; extra: number } {
  const idsOf = (sql: string) => platen.db.$client.query<{ id: number }, []>(sql).all();
  const [missing, extra] = [idsOf(MISSING), idsOf(EXTRA)];
  for (const { id } of extra) removeFromIndex(platen, id);
  for (const { id } of missing) indexById(platen, id);
  return { missing: missing.length, extra: extra.length };
}

function indexById(platen: Platen, id: number): void {
  const post = postRow(platen, id);
  if (post?.deletedAt === null) indexPost(platen, post, contentOf(platen, id).text);
}
