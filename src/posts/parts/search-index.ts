import { eq, sql } from "drizzle-orm";
import { TO_BE_INDEXED } from "../../database/migrate";
import { prepared } from "../../database/prepared";
import { contents, posts, settings } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { indexedText, searchText } from "./search-text";

/**
 * Makes the post findable by what it says now. To be called in the transaction that writes it.
 * @param text `indexedText` of the post's
 */
export function indexPost(platen: Platen, post: { id: number; title: string }, text: string): void {
  index(platen).run(post.id, searchText(post.title), text);
}

const index = prepared((db) =>
  db.$client.query("INSERT OR REPLACE INTO post_search (rowid, title, content) VALUES (?, ?, ?)"),
);

/** To be called in the transaction that deletes the post. */
export function removeFromIndex(platen: Platen, postId: number): void {
  platen.db.run(sql`DELETE FROM post_search WHERE rowid = ${postId}`);
}

/** Makes the index hold every post that is not deleted, and nothing else. @returns how many it lacked, and held besides */
export function repairIndex(platen: Platen): { lacked: number; extra: number } {
  const { db } = platen;
  const count = (from: string) =>
    db.$client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${from}`).get()?.n ?? 0;
  const [lacking, besides] = [
    "posts WHERE deleted_at IS NULL AND id NOT IN (SELECT rowid FROM post_search)",
    "post_search WHERE rowid NOT IN (SELECT id FROM posts WHERE deleted_at IS NULL)",
  ] as const;
  const found = { lacked: count(lacking), extra: count(besides) };
  if (found.extra > 0) db.run(sql.raw(`DELETE FROM ${besides}`));
  if (found.lacked > 0) {
    db.insert(settings).values({ name: TO_BE_INDEXED, value: "all" }).onConflictDoNothing().run();
    indexOlderPosts(platen);
  }
  return found;
}

/** Posts that are indexed in one transaction. */
const AT_ONCE = 200;

/** Makes the index of posts that are older than it, once; to be called when a server starts. */
export function indexOlderPosts(platen: Platen): void {
  const { db } = platen;
  const toBeDone = eq(settings.name, TO_BE_INDEXED);
  if (!db.select().from(settings).where(toBeDone).get()) return;
  const left = sql`${posts.deletedAt} IS NULL AND ${posts.id} NOT IN (SELECT rowid FROM post_search)`;
  const some = () =>
    db
      .select({ id: posts.id, title: posts.title, text: contents.text })
      .from(posts)
      .innerJoin(contents, eq(contents.postId, posts.id))
      .where(left)
      .limit(AT_ONCE)
      .all();
  for (let rows = some(); rows.length > 0; rows = some())
    inTransaction(platen, () => {
      for (const post of rows) indexPost(platen, post, indexedText(post.text));
    });
  db.delete(settings).where(toBeDone).run();
}
