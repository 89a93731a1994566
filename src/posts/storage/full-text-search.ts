import { inSharedTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { cleanText } from "../../text/clean-text";
import { runListStatements } from "./post-list-queries";
import { contentOf, postRow } from "./stored-posts";

/** Surrounds a symbol's code point. The tokenizer unicode61 treats this private-use character as a letter. */
const SYMBOL_MARK = "\uE000";

/** Scripts without spaces. Each character is indexed as a word. Adjacent ones in a query are a phrase. */
const UNSPACED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** People search for these symbols ("C++", "C#", "§ 5", "€", emoji), but unicode61 drops them. */
const SEARCHABLE_SYMBOL = /[\p{S}#§]/u;
const ALL_UNSPACED = new RegExp(UNSPACED_SCRIPT, "gu");
const ALL_SYMBOLS = new RegExp(SEARCHABLE_SYMBOL, "gu");
const INDEXED_WORD = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]+`, "gu");

/** Keeps accents, because the tokenizer removes them. */
export function searchText(text: string): string {
  return cleanText(text)
    .replaceAll(SYMBOL_MARK, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(ALL_UNSPACED, " $& ")
    .replace(ALL_SYMBOLS, (symbol) => ` ${SYMBOL_MARK}${symbol.codePointAt(0)?.toString(36)}${SYMBOL_MARK} `);
}

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

/** In characters. The rest of the query is ignored. */
const MAX_QUERY_LENGTH = 500;

const MAX_TERMS = 10;
const MAX_QUERY_WORDS = 20;
const QUOTES = /[“”„‟«»]/g;
const ENDS_WITH_SEPARATE_WORD = new RegExp(`(?:${UNSPACED_SCRIPT.source}|${SYMBOL_MARK})\\s*$`, "u");

/** A prefix of one letter matches too many words. */
const ENDS_WITH_TWO_LETTERS = /[\p{L}\p{N}\p{M}]{2}[^\p{L}\p{N}\p{M}]*$/u;

/**
 * Requires all words. Quoted words are phrases. The last word, if not quoted, is a prefix if it ends with two
 * letters or digits ("plat" finds "platen"). The query never has a syntax error.
 * @returns an FTS5 query; undefined if nothing was typed, "" if nothing can match
 */
export function searchQuery(words: string | undefined): string | undefined {
  if (!words?.trim()) return undefined;
  const typed = cleanText(words.slice(0, MAX_QUERY_LENGTH)).replace(QUOTES, '"');
  const terms = new Set<string>();
  let prefix: string | null = null;
  let left = MAX_QUERY_WORDS;
  for (const [, quoted, word] of typed.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const whole = searchText(quoted ?? word ?? "").trim();
    const ends = [...whole.matchAll(INDEXED_WORD)].map(({ 0: found, index }) => index + found.length);
    if (ends.length === 0) continue;
    const isCut = ends.length > left;
    const term = isCut ? whole.slice(0, ends[left - 1]) : whole;
    left -= ends.length;
    const mayBePrefix = ENDS_WITH_TWO_LETTERS.test(term) && !ENDS_WITH_SEPARATE_WORD.test(term);
    terms.add(phrase(term));
    prefix = quoted === undefined && !isCut && mayBePrefix ? phrase(term) : null;
    if (terms.size >= MAX_TERMS || left <= 0) break;
  }
  if (prefix !== null) {
    terms.delete(prefix);
    terms.add(`${prefix}*`);
  }
  return [...terms].join(" AND ");
}

/** Quotes a term, so that FTS5 reads no operators in it. */
function phrase(term: string): string {
  return `"${term.replaceAll('"', " ")}"`;
}
