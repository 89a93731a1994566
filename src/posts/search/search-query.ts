import { cleanText } from "../../text/clean-text";
import { INDEXED_CHARACTER, INDEXED_WORD, SYMBOL_MARK, searchText, UNSPACED_SCRIPT } from "./indexed-text";

/** Characters of a query that are read; the rest is ignored. */
const LONGEST_QUERY = 500;
/** Words and quoted phrases of a query that count; each costs a walk through the index. */
const MOST_TERMS = 10;
/** The same, of the words in them as the index has them. */
const MOST_WORDS_ASKED = 20;
/**
 * Of these, that must stand side by side: so many are found in one turn of the server, a few milliseconds for each where it
 * is common. Of more, the next ones stand together somewhere in the same text.
 */
const MOST_IN_A_ROW = 8;
/** As phones type them, and as other languages write them. */
const QUOTES = /[“”„‟«»]/g;
const ENDS_SET_APART = new RegExp(`(?:${UNSPACED_SCRIPT.source}|${SYMBOL_MARK})\\s*$`, "u");
/** One letter is the beginning of too many words. */
const ENDS_WITH_TWO_LETTERS = /[\p{L}\p{N}\p{M}]{2}[^\p{L}\p{N}\p{M}]*$/u;

/**
 * The FTS5 query for the words that somebody typed: all must occur, the last is a prefix if it has two letters or more
 * ("plat" finds "platen"), "quoted words" are phrases. Never a syntax error.
 * @returns undefined if nothing was typed; "" if the index holds nothing of it
 */
export function searchQuery(words: string | undefined): string | undefined {
  if (!words?.trim()) return undefined;
  const asked = cleanText([...words.slice(0, 2 * LONGEST_QUERY)].slice(0, LONGEST_QUERY).join("")).replace(
    QUOTES,
    '"',
  );
  const terms = new Set<string>();
  let prefix: string | null = null;
  let left = MOST_WORDS_ASKED;
  for (const [, quoted, word] of asked.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const whole = searchText(quoted ?? word ?? "").trim();
    if (!INDEXED_CHARACTER.test(whole)) continue;
    const { term, count, isCut } = firstWords(whole, left);
    left -= count;
    const isWhole =
      quoted !== undefined || isCut || ENDS_SET_APART.test(term) || !ENDS_WITH_TWO_LETTERS.test(term);
    const rows = rowsOf(term);
    for (const row of rows) terms.add(phrase(row));
    prefix = isWhole ? null : phrase(rows.at(-1) ?? "");
    if (terms.size >= MOST_TERMS || left === 0) break;
  }
  if (prefix !== null) {
    terms.delete(prefix);
    terms.add(`${prefix}*`);
  }
  return [...terms].join(" AND ");
}

/** A term may be many words to the index: "a.b.c", a run of characters written without spaces, what stands in quotes. */
function firstWords(term: string, most: number): { term: string; count: number; isCut: boolean } {
  let count = 0;
  for (const { index } of term.matchAll(INDEXED_WORD)) {
    if (count === most) return { term: term.slice(0, index).trim(), count, isCut: true };
    count++;
  }
  return { term, count, isCut: false };
}

/** Texts with the term have each of these. */
function rowsOf(term: string): string[] {
  const words = [...term.matchAll(INDEXED_WORD)].map(({ index }) => index);
  const begins = words.filter((_, at) => at > 0 && at % MOST_IN_A_ROW === 0);
  return [0, ...begins].map((begin, at) => term.slice(begin, begins[at]).trim());
}

/** Inside quotes FTS5 reads no operators; a quote itself would end them. */
function phrase(term: string): string {
  return `"${term.replaceAll('"', " ")}"`;
}
