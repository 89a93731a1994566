import { cleanText } from "../../clean-text";
import { INDEXED, SIGN, searchText, UNSPACED, WORD } from "./indexed-text";

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
const ENDS_SET_APART = new RegExp(`(?:${UNSPACED.source}|${SIGN})\\s*$`, "u");
/** One letter begins too many words to go on with, and in a large index two do: a syllable of Hangul is more than a letter. */
const ENDS_WITH_TWO_LETTERS = /[\p{L}\p{N}\p{M}]{2}[^\p{L}\p{N}\p{M}]*$/u;
const ENDS_WITH_THREE_LETTERS = /(?:[\p{L}\p{N}\p{M}]{3}|\p{scx=Hangul}{2})[^\p{L}\p{N}\p{M}]*$/u;

/**
 * The MATCH expression for what somebody typed: all of its first words must occur, each of two letters or more may go on
 * ("plat" finds "platen"), "quoted words" stand side by side as they are, eight at a time. Never a syntax error.
 * @param isLarge whether the index is so large that only words of three letters or more may go on
 * @returns "" where there is nothing in it that an index holds
 */
export function searchQuery(words: string, { isLarge = false } = {}): string {
  const mayGoOn = isLarge ? ENDS_WITH_THREE_LETTERS : ENDS_WITH_TWO_LETTERS;
  const asked = cleanText([...words.slice(0, 2 * LONGEST_QUERY)].slice(0, LONGEST_QUERY).join("")).replace(
    QUOTES,
    '"',
  );
  const terms = new Set<string>();
  let left = MOST_WORDS_ASKED;
  for (const [, quoted, word] of asked.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const whole = searchText(quoted ?? word ?? "").trim();
    if (!INDEXED.test(whole)) continue;
    const { term, count, isCut } = firstWords(whole, left);
    left -= count;
    const isWhole = quoted !== undefined || isCut || ENDS_SET_APART.test(term) || !mayGoOn.test(term);
    const rows = rowsOf(term);
    for (const row of rows) terms.add(isWhole || row !== rows.at(-1) ? phrase(row) : `${phrase(row)}*`);
    if (terms.size >= MOST_TERMS || left === 0) break;
  }
  return [...terms].join(" AND ");
}

/** A term may be many words to the index: "a.b.c", a run of characters written without spaces, what stands in quotes. */
function firstWords(term: string, most: number): { term: string; count: number; isCut: boolean } {
  let count = 0;
  for (const { index } of term.matchAll(WORD)) {
    if (count === most) return { term: term.slice(0, index).trim(), count, isCut: true };
    count++;
  }
  return { term, count, isCut: false };
}

/** Texts with the term have each of these. */
function rowsOf(term: string): string[] {
  const words = [...term.matchAll(WORD)].map(({ index }) => index);
  const begins = words.filter((_, at) => at > 0 && at % MOST_IN_A_ROW === 0);
  return [0, ...begins].map((begin, at) => term.slice(begin, begins[at]).trim());
}

/** Inside quotes FTS5 reads no operators; a quote itself would end them. */
function phrase(term: string): string {
  return `"${term.replaceAll('"', " ")}"`;
}
