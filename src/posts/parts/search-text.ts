import { cleanText } from "../../clean-text";

/**
 * Of a text's words, and of those that differ: the index takes a moment for each while others wait, and a novel has
 * fewer. What follows is not found.
 */
const MOST_WORDS = 200_000;
const MOST_DIFFERENT = 30_000;
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
/** A private-use character, which FTS5's unicode61 takes for a letter, on both sides of a sign's code. */
const SIGN = "\uE000";

/** Written without spaces between words: every character is a word of the index, and a query's run of them a phrase. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** What people look for although it is no letter ("C++", "C#", "§ 5", "€", emoji); unicode61 would drop it. */
const SOUGHT_SIGN = /[\p{S}#§]/u;
const ALL_UNSPACED = new RegExp(UNSPACED, "gu");
const ALL_SOUGHT_SIGNS = new RegExp(SOUGHT_SIGN, "gu");
/** Characters that make words of the index. */
const INDEXED = new RegExp(`[\\p{L}\\p{N}${SIGN}]`, "u");
const WORD = new RegExp(`[\\p{L}\\p{N}${SIGN}]+`, "gu");
const ENDS_SET_APART = new RegExp(`(?:${UNSPACED.source}|${SIGN})\\s*$`, "u");
/** One letter begins too many words to go on with, and in a large index two do: a syllable of Hangul is more than a letter. */
const ENDS_WITH_TWO_LETTERS = /[\p{L}\p{N}\p{M}]{2}[^\p{L}\p{N}\p{M}]*$/u;
const ENDS_WITH_THREE_LETTERS = /(?:[\p{L}\p{N}\p{M}]{3}|\p{scx=Hangul}{2})[^\p{L}\p{N}\p{M}]*$/u;

/** Text as the search index takes it in. Accents are left to its tokenizer. */
export function searchText(text: string): string {
  return cleanText(text)
    .replaceAll(SIGN, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(ALL_UNSPACED, " $& ")
    .replace(ALL_SOUGHT_SIGNS, signWord);
}

/** As `searchText`, for a post's text: of one beyond all measure, the beginning. */
export function indexedText(text: string): string {
  const words = searchText(text);
  if (words.length <= MOST_DIFFERENT) return words;
  const different = new Set<string>();
  let count = 0;
  for (const { 0: word, index } of words.matchAll(WORD)) {
    different.add(word);
    if (++count > MOST_WORDS || different.size > MOST_DIFFERENT) return words.slice(0, index);
  }
  return words;
}

/**
 * The MATCH expression for what somebody typed: all of its first words must occur, each of two letters or more may go on
 * ("plat" finds "platen"), "quoted words" stand side by side as they are, eight at a time. Never a syntax error.
 * @param isLarge whether the index is so large that only words of three letters or more may go on
 * @returns null where there is nothing in it that an index holds
 */
export function searchQuery(words: string, { isLarge = false } = {}): string | null {
  const mayGoOn = isLarge ? ENDS_WITH_THREE_LETTERS : ENDS_WITH_TWO_LETTERS;
  const asked = cleanText([...words.slice(0, 2 * LONGEST_QUERY)].slice(0, LONGEST_QUERY).join(""));
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
  return terms.size > 0 ? [...terms].join(" AND ") : null;
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

/** Sign → what stands for it; texts of nothing but signs are long, and there are a few thousand of these. */
const signWords = new Map<string, string>();

function signWord(sign: string): string {
  return signWords.getOrInsertComputed(sign, () => ` ${SIGN}${sign.codePointAt(0)?.toString(36)}${SIGN} `);
}

/** Inside quotes FTS5 reads no operators; a quote itself would end them. */
function phrase(term: string): string {
  return `"${term.replaceAll('"', " ")}"`;
}
