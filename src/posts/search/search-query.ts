import { cleanText } from "../../text/clean-text";
import { INDEXED_WORD, SYMBOL_MARK, searchText, UNSPACED_SCRIPT } from "./searchable-text";

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
