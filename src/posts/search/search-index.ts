import { prepared } from "../../database/prepared";
import { inSharedTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { cleanText } from "../../text/clean-text";
import { runListStatements } from "../lists/list-pages";
import { contentOf } from "../storage/stored-posts";

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

/** Merges FTS5 segments in steps. Merging removes the words of purged posts from the file. */
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
  const [missing] = await runListStatements<[{ id: number }]>(platen, [{ sql: MISSING, values: {} }]);
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

/**
 * Surrounds the code point of a symbol. The tokenizer unicode61 treats this private-use character as a letter.
 */
export const SYMBOL_MARK = "\uE000";

/**
 * Matches scripts without spaces. Each character is indexed as a word. Consecutive characters in a query become a
 * phrase.
 */
export const UNSPACED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** Matches symbols that people search for ("C++", "C#", "§ 5", "€", emoji). unicode61 drops them. */
const SEARCHABLE_SYMBOL = /[\p{S}#§]/u;
const ALL_UNSPACED = new RegExp(UNSPACED_SCRIPT, "gu");
const ALL_SYMBOLS = new RegExp(SEARCHABLE_SYMBOL, "gu");
export const INDEXED_CHARACTER = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]`, "u");
export const INDEXED_WORD = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]+`, "gu");
/** Normalizes text for the index. The tokenizer removes accents. */
export function searchText(text: string): string {
  return cleanText(text)
    .replaceAll(SYMBOL_MARK, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(ALL_UNSPACED, " $& ")
    .replace(ALL_SYMBOLS, (symbol) => ` ${SYMBOL_MARK}${symbol.codePointAt(0)?.toString(36)}${SYMBOL_MARK} `);
}
