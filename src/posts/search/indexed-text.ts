import { cleanText } from "../../text/clean-text";

/**
 * Of a text's words, and of those that differ: the index takes a moment for each while others wait, and a novel has
 * fewer. What follows is not found.
 */
const MOST_WORDS = 200_000;
const MOST_DIFFERENT = 30_000;
/** A private-use character, which FTS5's unicode61 takes for a letter, on both sides of a sign's code. */
export const SYMBOL_MARK = "\uE000";

/** Written without spaces between words: every character is a word of the index, and a query's run of them a phrase. */
export const UNSPACED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** What people look for although it is no letter ("C++", "C#", "§ 5", "€", emoji); unicode61 would drop it. */
const SOUGHT_SIGN = /[\p{S}#§]/u;
const ALL_UNSPACED = new RegExp(UNSPACED_SCRIPT, "gu");
const ALL_SOUGHT_SIGNS = new RegExp(SOUGHT_SIGN, "gu");
/** Characters that make words of the index. */
export const INDEXED_CHARACTER = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]`, "u");
export const INDEXED_WORD = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]+`, "gu");
/** Text as the search index takes it in. Accents are left to its tokenizer. */
export function searchText(text: string): string {
  return cleanText(text)
    .replaceAll(SYMBOL_MARK, "")
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
  for (const { 0: word, index } of words.matchAll(INDEXED_WORD)) {
    different.add(word);
    if (++count > MOST_WORDS || different.size > MOST_DIFFERENT) return words.slice(0, index);
  }
  return words;
}

/** Sign → what stands for it; texts of nothing but signs are long, and there are a few thousand of these. */
const signWords = new Map<string, string>();

function signWord(sign: string): string {
  return signWords.getOrInsertComputed(
    sign,
    () => ` ${SYMBOL_MARK}${sign.codePointAt(0)?.toString(36)}${SYMBOL_MARK} `,
  );
}
