import { cleanText } from "../../text/clean-text";

/** Private-use character that unicode61 treats as a letter. It surrounds the code point of a symbol. */
export const SYMBOL_MARK = "\uE000";

/** Matches scripts without spaces. Each character is indexed as a word, and a run in a query becomes a phrase. */
export const UNSPACED_SCRIPT =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** Matches symbols that people search for ("C++", "C#", "§ 5", "€", emoji). unicode61 drops them. */
const SEARCHABLE_SYMBOL = /[\p{S}#§]/u;
const ALL_UNSPACED = new RegExp(UNSPACED_SCRIPT, "gu");
const ALL_SYMBOLS = new RegExp(SEARCHABLE_SYMBOL, "gu");
export const INDEXED_CHARACTER = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]`, "u");
export const INDEXED_WORD = new RegExp(`[\\p{L}\\p{N}${SYMBOL_MARK}]+`, "gu");
/** Normalizes text for the index. The tokenizer removes accents. */
export function searchText(text: string): string {
  return cleanText(text)
    .replaceAll(SYMBOL_MARK, "")
    .normalize("NFKC")
    .toLowerCase()
    .replace(ALL_UNSPACED, " $& ")
    .replace(ALL_SYMBOLS, symbolWord);
}

function symbolWord(symbol: string): string {
  return ` ${SYMBOL_MARK}${symbol.codePointAt(0)?.toString(36)}${SYMBOL_MARK} `;
}
