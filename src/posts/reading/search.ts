import { type SQL, sql } from "drizzle-orm";
import { posts } from "../../database/schema";
import type { Transaction } from "../../database/transactions";
import { searchQuery, searchText } from "./search-text";

/** Makes the post findable by what it says now. */
export function indexPost(tx: Transaction, post: { id: number; title: string; text: string }): void {
  tx.run(sql`INSERT OR REPLACE INTO post_search (rowid, title, content)
             VALUES (${post.id}, ${searchText(post.title)}, ${searchText(post.text)})`);
}

export function forgetPost(tx: Transaction, postId: number): void {
  tx.run(sql`DELETE FROM post_search WHERE rowid = ${postId}`);
}

/** The condition "title or content holds these words"; signs alone, which no index holds, are looked for as written. */
export function matches(words: string): SQL {
  const query = searchQuery(words);
  if (query !== null)
    return sql`${posts.id} IN (SELECT rowid FROM post_search WHERE post_search MATCH ${query})`;
  return sql`instr(${posts.title} || char(10) || ${posts.text}, ${words.trim()}) > 0`;
}
