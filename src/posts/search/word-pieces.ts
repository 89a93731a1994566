/** Words that somebody looks for, in pieces: the index takes at most a few milliseconds for each. */
import { prepared } from "../../database/prepared";
import type { Platen } from "../../platen";
import { levelsOf } from "./index-parts";

/** Pages of the index, of 1 KB, that are read in one turn: each takes some 20 µs. */
export const PAGES_IN_ONE_TURN = 600;
/** What the smallest piece takes, in pages. */
const PAGES_AT_LEAST = 10;

/** Some of the posts that have the words are those of the query. */
interface Piece {
  query: string;
  /** Of the index that are read for it, roughly. */
  pages: number;
}

/** Of what `searchQuery` makes: words in quotes, and whether the last of them may go on. */
const TERM = /"[^"]*"\*?/g;
/** What the tokenizer takes for words; and for one, as far as it stands for itself in the index. */
const WORDS = /[\p{L}\p{N}\p{Co}\p{M}]+/gu;
const ONE_WORD = /^[\p{L}\p{N}\p{Co}]+$/u;
/** The tokenizer has its own way with these; words that hold them are looked for in one. */
const UNLIKE = /[ǡ\u19B0-\u19C9\u1CF2\u1CF3]/u;
const WITH_MARKS = /^[a-z]\p{M}+$/u;

/** @param words as `wordsSought` tells them. @returns each of those that all must occur */
export const termsIn = (words: string): string[] => words.match(TERM) ?? [];

/** What is read soonest comes first. */
export function rarestFirst(platen: Platen, terms: string[]): string[] {
  if (terms.length < 2) return terms;
  const weighed = terms.map((term) => ({ term, pages: pagesOf(platen, term) }));
  return weighed.sort((a, b) => a.pages - b.pages).map(({ term }) => term);
}

/** Where a term is nothing but a word: it, as the index has it. */
export function wordAlone(term: string): { word: string; goesOn: boolean } | null {
  const { text, goesOn } = partsOf(term);
  return isLikeIndexed(text) ? { word: asIndexed(text), goesOn } : null;
}

function partsOf(term: string): { text: string; goesOn: boolean } {
  const goesOn = term.endsWith("*");
  return { text: term.slice(1, goesOn ? -2 : -1), goesOn };
}

/** Pages of the index that are read for a term, roughly: of a word alone they take a fifth. */
function pagesOf(platen: Platen, term: string): number {
  const { text, goesOn } = partsOf(term);
  const tokens = (text.match(WORDS) ?? []).map(asIndexed);
  const pages = tokens.map((token, at) => pagesOfToken(platen, token, goesOn && at === tokens.length - 1));
  const all = pages.reduce((sum, count) => sum + count, PAGES_AT_LEAST);
  return isLikeIndexed(text) ? all / 5 : all;
}

/** All posts with the term are those of one of the pieces, and the other way round. */
export function* piecesOf(platen: Platen, term: string): Generator<Piece> {
  const pages = pagesOf(platen, term);
  const { text, goesOn } = partsOf(term);
  const last = text.match(WORDS)?.at(-1) ?? "";
  if (!goesOn || pages <= PAGES_IN_ONE_TURN || !text.endsWith(last) || !isLikeIndexed(last))
    return yield { query: term, pages };
  const whole = `"${text}"`;
  yield { query: whole, pages: pagesOf(platen, whole) };
  for (const letter of lettersAfter(platen, asIndexed(last))) yield* piecesOf(platen, `"${text}${letter}"*`);
}

/** Each letter that words of the index go on with. */
function* lettersAfter(platen: Platen, beginning: string): Generator<string> {
  // No word has this character.
  for (let from = `${beginning}\u0001`; ; ) {
    const word = firstWord(platen).get(from)?.term;
    if (!word?.startsWith(beginning)) return;
    const code = word.codePointAt(beginning.length) ?? 0;
    yield String.fromCodePoint(code);
    from = beginning + characterAfter(code);
  }
}

const firstWord = prepared(({ $client }) => {
  $client.run("CREATE VIRTUAL TABLE temp.post_words USING fts5vocab(main, post_search, instance)");
  return $client.query<{ term: string }, [string]>(
    "SELECT term FROM temp.post_words WHERE term >= ? LIMIT 1",
  );
});

/** Surrogates are no characters. */
const characterAfter = (code: number) => String.fromCodePoint(code === 0xd7ff ? 0xe000 : code + 1);

/** Is what `asIndexed` makes of it a word of the index, or the beginning of one? */
export const isLikeIndexed = (word: string) => ONE_WORD.test(word) && !UNLIKE.test(word);

/** As unicode61 has it, which takes diacritics from Latin letters alone. */
export function asIndexed(word: string): string {
  return Array.from(word, (letter) => {
    const apart = letter.normalize("NFD");
    return WITH_MARKS.test(apart) ? apart.charAt(0) : letter === "ς" ? "σ" : letter;
  }).join("");
}

/** See "FTS5 Data Structures" in SQLite's fts5_index.c: first words of pages, and the pages' numbers, doubled. */
function pagesOfToken(platen: Platen, token: string, goesOn: unknown): number {
  const letters = Array.from(token);
  const last = letters.pop()?.codePointAt(0) ?? 0;
  const end = goesOn ? letters.join("") + characterAfter(last) : `${token}\u0001`;
  const range = { from: Buffer.from(`0${token}`), end: Buffer.from(`0${end}`) };
  const parts = levelsOf(platen).flatMap((level) => level.parts);
  return pagesBetween(platen).get({ ...range, parts: JSON.stringify(parts) })?.pages ?? 0;
}

const pagesBetween = prepared((db) =>
  db.$client.query<{ pages: number | null }, [{ from: Buffer; end: Buffer; parts: string }]>(
    `SELECT sum(max(0,
       coalesce((SELECT pgno >> 1 FROM post_search_idx WHERE segid = id AND term >= +$end ORDER BY term LIMIT 1), last) -
       coalesce((SELECT pgno >> 1 FROM post_search_idx WHERE segid = id AND term <= +$from ORDER BY term DESC LIMIT 1), 1)
     )) AS pages FROM (SELECT value ->> 'id' AS id, value ->> 'last' AS last FROM json_each($parts))`,
  ),
);
