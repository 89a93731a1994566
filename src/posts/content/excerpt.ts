import { plainText } from "./plain-text";

/** The longest excerpt that is shown anywhere, in characters. */
export const MAX_EXCERPT_LENGTH = 300;
/** Of the content, in characters: prose that begins later is not looked for. */
const READ = 8000;
/** The same, where enough stands in so much. */
const READ_AT_FIRST = 1500;

/** No prose: what stands above it or beside it, is to be looked at, or belongs to no sentence. */
const NO_PROSE = new Set("figure h1 h2 h3 h4 h5 h6 pre table".split(" "));
/** What our Markdown makes of notes: the mark in the text, and the section below it. */
const NOTE_CLASS = /(?:^|\s)(?:footnotes?|footnote-ref)(?:\s|$)/;
/** Where none of it stands in the HTML, its text is its prose, and need not be looked for. */
const NO_PROSE_IN = new RegExp(`<(?:${[...NO_PROSE].join("|")})\\b|footnote`);
const FIRST_CHARACTERS = new RegExp(`^.{0,${MAX_EXCERPT_LENGTH + 2}}`, "su");

/**
 * The sentences of a post for excerpts and descriptions: without headings, code, tables, pictures and footnotes.
 * @param html rendered, or the beginning of it
 */
function proseOf(html: string): string {
  return plainText(html, (name, { class: classes = "" }) => NO_PROSE.has(name) || NOTE_CLASS.test(classes));
}

/**
 * What every excerpt of a post is cut from: the beginning of its prose; without prose, of its text. On one line, and two
 * characters longer than the longest: so that where something follows is seen also where the first of them is a space.
 */
export function postExcerpt({ html, text }: { html: string; text: string }): string {
  const isAllProse = html.length <= READ && !NO_PROSE_IN.test(html);
  const line = (!isAllProse && lineAtTheBeginning(html, proseOf)) || lineAtTheBeginning(text);
  return FIRST_CHARACTERS.exec(line)?.[0] ?? "";
}

function lineAtTheBeginning(whole: string, wordsOf = (part: string) => part): string {
  const first = joined(wordsOf(whole.slice(0, READ_AT_FIRST)));
  const isEnough = whole.length <= READ_AT_FIRST || first.length > 3 * MAX_EXCERPT_LENGTH;
  return isEnough ? first : joined(wordsOf(whole.slice(0, READ)));
}

/** On one line, where the items of a list, and whatever else ends without a full stop or the like, stay apart. */
function joined(lines: string): string {
  return onOneLine(lines.trim().replace(/(?<=[\p{L}\p{N}\p{Pe}])\n+/gu, " · "));
}

/** The beginning of a text on one line, cut between words where it is longer than `most` characters. */
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
