const BLOCKS = new Set(
  `address article aside blockquote caption dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header
   hr li ol p pre section summary table tbody tfoot thead tr ul`.split(/\s+/),
);
const CELLS = new Set(["td", "th"]);
/** Elements whose content is code or a fallback for old browsers. */
export const HIDDEN_ELEMENTS = new Set("audio iframe noscript script style template video".split(" "));

/** Returns the visible text of HTML, one line per block. @param isLeftOut elements to skip with their content */
export function plainText(
  html: string,
  isLeftOut: (name: string, attributes: Record<string, string>) => boolean = () => false,
): string {
  // Loaded on first use, so that the server starts fast.
  const { Parser } = require("htmlparser2") as typeof import("htmlparser2");
  const reading = new Reading();
  const parser = new Parser({
    onopentag: (name, attributes) => reading.open(name, isLeftOut(name, attributes)),
    ontext: (text) => reading.text(text),
    onclosetag: (name) => reading.close(name),
  });
  parser.end(html);
  return reading.toString();
}

class Reading {
  private readonly lines = new Lines();
  private readonly opened: boolean[] = [];
  private preformatted = 0;

  open(name: string, isLeftOut = false): void {
    this.opened.push(this.opened.at(-1) || HIDDEN_ELEMENTS.has(name) || isLeftOut);
    if (BLOCKS.has(name)) this.lines.endLine();
    if (CELLS.has(name)) this.lines.add(" ");
    if (name === "br") this.lines.breakLine();
    if (name === "pre") this.preformatted++;
  }

  text(text: string): void {
    if (this.opened.at(-1)) return;
    if (this.preformatted > 0) this.lines.addPreformatted(text);
    else this.lines.add(text);
  }

  close(name: string): void {
    this.opened.pop();
    if (BLOCKS.has(name)) this.lines.endLine();
    if (name === "pre") this.preformatted--;
  }

  toString(): string {
    return this.lines.toString();
  }
}

class Lines {
  private readonly lines: string[] = [];
  private line: string[] = [];
  /** Whether a space may follow. HTML drops it at the start of a line and after a space. */
  private takesSpace = false;

  add(text: string): void {
    const collapsed = text.replace(/[ \t\n\r\f]{2,}|[\t\n\r\f]/g, " ");
    const shown = this.takesSpace ? collapsed : collapsed.replace(/^ /, "");
    if (shown === "") return;
    this.line.push(shown);
    this.takesSpace = !shown.endsWith(" ");
  }

  addPreformatted(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    this.line.push(first);
    for (const line of rest) {
      this.breakLine();
      this.line.push(line);
    }
    this.takesSpace = true;
  }

  endLine(): void {
    if (this.line.some((piece) => /\S/.test(piece))) this.breakLine();
    this.line = [];
    this.takesSpace = false;
  }

  breakLine(): void {
    this.lines.push(this.line.join("").trimEnd());
    this.line = [];
    this.takesSpace = false;
  }

  toString(): string {
    this.endLine();
    return withoutOuterLines(this.lines.join("\n"));
  }
}

function withoutOuterLines(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === "\n") start++;
  while (end > start && text[end - 1] === "\n") end--;
  return text.slice(start, end);
}

/** Maximum length of an excerpt anywhere, in characters. */
export const MAX_EXCERPT_LENGTH = 300;
/** Number of content characters that are searched for prose. */
const SEARCHED_CHARACTERS = 8000;
const NO_PROSE = new Set("figure h1 h2 h3 h4 h5 h6 pre table".split(" "));
/** Matches classes of footnote references, of the footnote section and of link cards. */
const NO_PROSE_CLASS = /(?:^|\s)(?:footnotes?|footnote-ref|bookmark)(?:\s|$)/;
const FIRST_CHARACTERS = new RegExp(`^.{0,${MAX_EXCERPT_LENGTH + 2}}`, "su");

function proseOf(html: string): string {
  return plainText(
    html,
    (name, { class: classes = "" }) => NO_PROSE.has(name) || NO_PROSE_CLASS.test(classes),
  );
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
