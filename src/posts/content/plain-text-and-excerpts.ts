const BLOCKS = new Set(
  `address article aside blockquote caption dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header
   hr li ol p pre section summary table tbody tfoot thead tr ul`.split(/\s+/),
);
const CELLS = new Set(["td", "th"]);
const HIDDEN_ELEMENTS = new Set("audio iframe noscript script style template video".split(" "));

/** Each block starts on a new line. @param isLeftOut returns true to skip an element with its content */
export function plainText(
  html: string,
  isLeftOut: (name: string, attributes: Record<string, string>) => boolean = () => false,
): string {
  const lines: string[] = [];
  let line = "";
  let takesSpace = false;
  let preformatted = 0;
  const hidden: boolean[] = [];
  const startLine = () => {
    line = "";
    takesSpace = false;
  };
  const breakLine = () => {
    lines.push(line.trimEnd());
    startLine();
  };
  const endLine = () => (/\S/.test(line) ? breakLine() : startLine());
  const addText = (text: string) => {
    const collapsed = text.replace(/[ \t\n\r\f]{2,}|[\t\n\r\f]/g, " ");
    const shown = takesSpace ? collapsed : collapsed.replace(/^ /, "");
    line += shown;
    if (shown !== "") takesSpace = !shown.endsWith(" ");
  };
  // Loaded on first use, so that the server starts fast.
  const { Parser } = require("htmlparser2") as typeof import("htmlparser2");
  const parser = new Parser({
    onopentag(name, attributes) {
      hidden.push(hidden.at(-1) || HIDDEN_ELEMENTS.has(name) || isLeftOut(name, attributes));
      if (BLOCKS.has(name)) endLine();
      if (CELLS.has(name)) addText(" ");
      if (name === "br") breakLine();
      if (name === "pre") preformatted++;
    },
    ontext(text) {
      if (hidden.at(-1)) return;
      if (preformatted === 0) return addText(text);
      text.split("\n").forEach((part, number) => {
        if (number > 0) breakLine();
        line += part;
      });
      takesSpace = true;
    },
    onclosetag(name) {
      hidden.pop();
      if (BLOCKS.has(name)) endLine();
      if (name === "pre") preformatted--;
    },
  });
  parser.end(html);
  endLine();
  const isFilled = (text: string) => text !== "";
  return lines.slice(Math.max(0, lines.findIndex(isFilled)), lines.findLastIndex(isFilled) + 1).join("\n");
}

/** In code points. */
export const MAX_EXCERPT_LENGTH = 300;
const SEARCHED_CHARACTERS = 8000;
const NO_PROSE = new Set("figure h1 h2 h3 h4 h5 h6 pre table".split(" "));
const NO_PROSE_CLASS = /(?:^|\s)(?:footnotes?|footnote-ref|bookmark)(?:\s|$)/;
const FIRST_CHARACTERS = new RegExp(`^.{0,${MAX_EXCERPT_LENGTH + 2}}`, "su");

/** May be two characters longer than MAX_EXCERPT_LENGTH, so that `excerpt` notices that text follows. */
export function postExcerpt({ html, text }: { html: string; text: string }): string {
  const isNoProse = (name: string, { class: classes = "" }) =>
    NO_PROSE.has(name) || NO_PROSE_CLASS.test(classes);
  const prose = joinLines(plainText(html.slice(0, SEARCHED_CHARACTERS), isNoProse));
  return FIRST_CHARACTERS.exec(prose || joinLines(text.slice(0, SEARCHED_CHARACTERS)))?.[0] ?? "";
}

function joinLines(lines: string): string {
  return onOneLine(lines.trim().replace(/(?<=[\p{L}\p{N}\p{Pe}])\n+/gu, " · "));
}

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
