import { cleanText } from "../../text/clean-text";
import { INDEXED_CHARACTER, INDEXED_WORD, SYMBOL_MARK, searchText, UNSPACED_SCRIPT } from "./search-index";

/** Maximum length in characters. The rest of the query is ignored. */
const MAX_QUERY_LENGTH = 500;
/** Maximum number of words and phrases. Each requires an index scan. */
const MAX_TERMS = 10;
/** Maximum number of indexed words in all terms. */
const MAX_QUERY_WORDS = 20;
const QUOTES = /[“”„‟«»]/g;
const ENDS_WITH_SEPARATE_WORD = new RegExp(`(?:${UNSPACED_SCRIPT.source}|${SYMBOL_MARK})\\s*$`, "u");
/** Matches a text that ends with two letters. A prefix of one letter matches too many words. */
const ENDS_WITH_TWO_LETTERS = /[\p{L}\p{N}\p{M}]{2}[^\p{L}\p{N}\p{M}]*$/u;

/**
 * Builds the FTS5 query for typed words. All words must occur; quoted words are phrases. The last word is a prefix if
 * it has at least two letters ("plat" finds "platen"). The query never has a syntax error.
 * @returns undefined if nothing was typed, "" if nothing can match
 */
export function searchQuery(words: string | undefined): string | undefined {
  if (!words?.trim()) return undefined;
  const typed = cleanText(
    [...words.slice(0, 2 * MAX_QUERY_LENGTH)].slice(0, MAX_QUERY_LENGTH).join(""),
  ).replace(QUOTES, '"');
  const terms = new Set<string>();
  let prefix: string | null = null;
  let left = MAX_QUERY_WORDS;
  for (const [, quoted, word] of typed.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const whole = searchText(quoted ?? word ?? "").trim();
    if (!INDEXED_CHARACTER.test(whole)) continue;
    const { term, count, isCut } = firstWords(whole, left);
    left -= count;
    const isWhole =
      quoted !== undefined ||
      isCut ||
      ENDS_WITH_SEPARATE_WORD.test(term) ||
      !ENDS_WITH_TWO_LETTERS.test(term);
    terms.add(phrase(term));
    prefix = isWhole ? null : phrase(term);
    if (terms.size >= MAX_TERMS || left === 0) break;
  }
  if (prefix !== null) {
    terms.delete(prefix);
    terms.add(`${prefix}*`);
  }
  return [...terms].join(" AND ");
}

/** Returns the first words of a term. Terms such as "a.b.c", Chinese text and quoted phrases have several words. */
function firstWords(term: string, most: number): { term: string; count: number; isCut: boolean } {
  let count = 0;
  for (const { index } of term.matchAll(INDEXED_WORD)) {
    if (count === most) return { term: term.slice(0, index).trim(), count, isCut: true };
    count++;
  }
  return { term, count, isCut: false };
}

/** Quotes a term, so that FTS5 reads no operators in it. */
function phrase(term: string): string {
  return `"${term.replaceAll('"', " ")}"`;
}
