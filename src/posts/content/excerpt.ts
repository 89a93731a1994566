import { plainText } from "./plain-text";

/** Maximum length of an excerpt anywhere, in characters. */
export const MAX_EXCERPT_LENGTH = 300;
/** Number of content characters that are searched for prose. */
const SEARCHED_CHARACTERS = 8000;
const NO_PROSE = new Set("figure h1 h2 h3 h4 h5 h6 pre table".split(" "));
/** Matches classes of footnote references and of the footnote section. */
const NOTE_CLASS = /(?:^|\s)(?:footnotes?|footnote-ref)(?:\s|$)/;
const FIRST_CHARACTERS = new RegExp(`^.{0,${MAX_EXCERPT_LENGTH + 2}}`, "su");

function proseOf(html: string): string {
  return plainText(html, (name, { class: classes = "" }) => NO_PROSE.has(name) || NOTE_CLASS.test(classes));
}

/**
 * Returns the beginning of the prose, or of the text if there is no prose. The result is two characters longer than
 * an excerpt, so that `excerpt` sees whether text follows.
 */
export function postExcerpt({ html, text }: { html: string; text: string }): string {
  const line =
    joinLines(proseOf(html.slice(0, SEARCHED_CHARACTERS))) || joinLines(text.slice(0, SEARCHED_CHARACTERS));
  return FIRST_CHARACTERS.exec(line)?.[0] ?? "";
}

/** Separates list items and other lines that have no final punctuation. */
function joinLines(lines: string): string {
  return onOneLine(lines.trim().replace(/(?<=[\p{L}\p{N}\p{Pe}])\n+/gu, " · "));
}

/** Returns the beginning of a text on one line, cut between words. */
export function excerpt(text: string, most: number): string {
  const line = onOneLine(text);
  const characters = [...line];
  if (characters.length <= most) return line;
  const cut = characters.slice(0, most).join("");
  const words = cut.replace(/\s+\S*$/, "");
  return `${(words.length > most / 2 ? words : cut).replace(/[\s.,;:·–—-]+$/, "")}…`;
}

function onOneLine(text: string): string {
  return text.replace(/\s{2,}|[^\S ]/g, " ").trim();
}
