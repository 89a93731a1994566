import { type SQL, sql } from "drizzle-orm";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import { searchQuery, searchText } from "./search-text";

/**
 * Makes the post findable by what it says now. To be called in the transaction that writes it.
 * @param text `indexedText` of the post's
 */
export function indexPost(platen: Platen, post: { id: number; title: string }, text: string): void {
  platen.db.run(sql`INSERT OR REPLACE INTO post_search (rowid, title, content)
                    VALUES (${post.id}, ${searchText(post.title)}, ${text})`);
}

/** To be called in the transaction that deletes the post. */
export function removeFromIndex(platen: Platen, postId: number): void {
  platen.db.run(sql`DELETE FROM post_search WHERE rowid = ${postId}`);
}

/** The condition "title or content holds these words"; what no index holds is in no post. */
export function matches(words: string): SQL {
  const query = searchQuery(words);
  if (query === null) return sql`0`;
  return sql`${posts.id} IN (SELECT rowid FROM post_search WHERE post_search MATCH ${query})`;
}
