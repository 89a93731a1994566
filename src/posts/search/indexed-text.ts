import { cleanText } from "../../text/clean-text";

/** Indexing takes time for each word, more for each distinct word. The rest of a longer text is not indexed. */
const MOST_WORDS = 200_000;
const MOST_DIFFERENT = 30_000;
/** A private-use character that unicode61 takes for a letter. It surrounds the code of a symbol. */
export const SYMBOL_MARK = "\uE000";

/** Scripts without spaces: each character is indexed as a word, and a run in a query becomes a phrase. */
export const UNSPACED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** Symbols people search for ("C++", "C#", "§ 5", "€", emoji). unicode61 would drop them. */
const SOUGHT_SIGN = /[\p{S}#§]/u;
const ALL_UNSPACED = new RegExp(UNSPACED_SCRIPT, "gu");
const ALL_SOUGHT_SIGNS = new RegExp(SOUGHT_SIGN, "gu");
export const INDEXED_CHARACTER = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]`, "u");
export const INDEXED_WORD = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]+`, "gu");
/** Normalizes text for the index. The tokenizer removes accents. */
export function searchText(text: string): string {
  return cleanText(text)
    .replaceAll(SYMBOL_MARK, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(ALL_UNSPACED, " $& ")
    .replace(ALL_SOUGHT_SIGNS, signWord);
}

/** The normalized text of a post, cut if it is very long. */
export function indexedText(text: string): string {
  const words = searchText(text);
  if (words.length <= MOST_DIFFERENT) return words;
  const different = new Set<string>();
  let count = 0;
  for (const { 0: word, index } of words.matchAll(INDEXED_WORD)) {
    different.add(word);
    if (++count > MOST_WORDS || different.size > MOST_DIFFERENT) return words.slice(0, index);
  }
  return words;
}

const signWords = new Map<string, string>();

function signWord(sign: string): string {
  return signWords.getOrInsertComputed(
    sign,
    () => ` ${SYMBOL_MARK}${sign.codePointAt(0)?.toString(36)}${SYMBOL_MARK} `,
  );
}
