import { plainText } from "./plain-text";

/** No prose: what stands above it or beside it, is to be looked at, or belongs to no sentence. */
const NO_PROSE = new Set("figure h1 h2 h3 h4 h5 h6 pre table".split(" "));
/** What our Markdown makes of notes: the mark in the text, and the section below it. */
const NOTE_CLASS = /(?:^|\s)(?:footnotes?|footnote-ref)(?:\s|$)/;

/**
 * The sentences of a post for excerpts and descriptions: without headings, code, tables, pictures and footnotes.
 * @param html rendered, or the beginning of it
 */
export function proseOf(html: string): string {
  return plainText(html, (name, { class: classes = "" }) => NO_PROSE.has(name) || NOTE_CLASS.test(classes));
}

/** The beginning of a text on one line, cut between words where it is longer than `most` characters. */
export function excerpt(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  if (characters.length <= most) return line;
  const cut = characters.slice(0, most).join("");
  const words = cut.replace(/\s+\S*$/, "");
  return `${(words.length > most / 2 ? words : cut).replace(/[\s.,;:–—-]+$/, "")}…`;
}
