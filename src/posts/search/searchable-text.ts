import { cleanText } from "../../text/clean-text";

/**
 * Surrounds the code point of a symbol. The tokenizer unicode61 treats this private-use character as a
 * letter.
 */
export const SYMBOL_MARK = "\uE000";

/**
 * Scripts without spaces. Each character is indexed as a word, and adjacent characters in a query are a
 * phrase.
 */
export const UNSPACED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** People search for these symbols ("C++", "C#", "§ 5", "€", emoji), but unicode61 drops them. */
const SEARCHABLE_SYMBOL = /[\p{S}#§]/u;
const ALL_UNSPACED = new RegExp(UNSPACED_SCRIPT, "gu");
const ALL_SYMBOLS = new RegExp(SEARCHABLE_SYMBOL, "gu");
export const INDEXED_WORD = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]+`, "gu");

/** Keeps accents, because the tokenizer removes them. */
export function searchText(text: string): string {
  return cleanText(text)
    .replaceAll(SYMBOL_MARK, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(ALL_UNSPACED, " $& ")
    .replace(ALL_SYMBOLS, (symbol) => ` ${SYMBOL_MARK}${symbol.codePointAt(0)?.toString(36)}${SYMBOL_MARK} `);
}
