import { cleanText } from "../../clean-text";

/** Characters of a query that are read; the rest is ignored. */
const LONGEST_QUERY = 500;
/** Words and quoted phrases of a query that count; each costs a walk through the index. */
const MOST_TERMS = 10;
/** A private-use character, which FTS5's unicode61 takes for a letter, on both sides of a sign's code. */
const SIGN = "\uE000";

/** Written without spaces between words: every character is a word of the index, and a query's run of them a phrase. */
const UNSPACED =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;
/** What people look for although it is no letter ("C++", "C#", "§ 5", "€", emoji); unicode61 would drop it. */
const SOUGHT_SIGN = /[\p{S}#§]/u;
const SET_APART = new RegExp(`${UNSPACED.source}|${SOUGHT_SIGN.source}`, "gu");
/** Characters that make words of the index. */
const INDEXED = new RegExp(`[\\p{L}\\p{N}${SIGN}]`, "u");
const ENDS_SET_APART = new RegExp(`(?:${UNSPACED.source}|${SIGN})\\s*$`, "u");
/** One letter begins too many words to go on with. */
const ENDS_WITH_TWO_LETTERS = /[\p{L}\p{N}\p{M}]{2}[^\p{L}\p{N}\p{M}]*$/u;

/** Text as the search index takes it in. Accents are left to its tokenizer. */
export function searchText(text: string): string {
  return cleanText(text).replaceAll(SIGN, "").normalize("NFKC").toLowerCase().replace(SET_APART, apart);
}

/**
 * The MATCH expression for what somebody typed: all of its first words must occur, each of two letters or more may go on
 * ("plat" finds "platen"), "quoted words" stand side by side as they are. Never a syntax error.
 * @returns null where there is nothing in it that an index holds
 */
export function searchQuery(words: string): string | null {
  const asked = cleanText([...words.slice(0, 2 * LONGEST_QUERY)].slice(0, LONGEST_QUERY).join(""));
  const terms = new Set<string>();
  for (const [, quoted, word] of asked.matchAll(/"([^"]*)"|([^\s"]+)/g)) {
    const term = searchText(quoted ?? word ?? "").trim();
    if (!INDEXED.test(term)) continue;
    const isWhole = quoted !== undefined || ENDS_SET_APART.test(term) || !ENDS_WITH_TWO_LETTERS.test(term);
    terms.add(isWhole ? phrase(term) : `${phrase(term)}*`);
    if (terms.size === MOST_TERMS) break;
  }
  return terms.size > 0 ? [...terms].join(" AND ") : null;
}

function apart(character: string): string {
  const isSign = SOUGHT_SIGN.test(character);
  return ` ${isSign ? SIGN + character.codePointAt(0)?.toString(36) + SIGN : character} `;
}

/** Inside quotes FTS5 reads no operators; a quote itself would end them. */
function phrase(term: string): string {
  return `"${term.replaceAll('"', " ")}"`;
}
