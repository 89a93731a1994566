const BLOCKS = new Set(
  `address article aside blockquote caption dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header
   hr li ol p pre section summary table tbody tfoot thead tr ul`.split(/\s+/),
);
const CELLS = new Set(["td", "th"]);
/** Their content is left out: code, or text for browsers that cannot show the element. */
const UNREAD = new Set(["audio", "iframe", "noscript", "script", "style", "template", "video"]);

/**
 * What a reader sees of the HTML: a line for each block, white space as a browser shows it.
 * @param isLeftOut elements that are left out with all that is in them
 */
export function plainText(
  html: string,
  isLeftOut: (name: string, attributes: Record<string, string>) => boolean = () => false,
): string {
  const lines = new Lines();
  /** Of the elements that are open now and of those around them: is what they hold left out? */
  const open: boolean[] = [];
  let preformatted = 0;
  // Loaded when it is needed: the server starts without it.
  const { Parser } = require("htmlparser2") as typeof import("htmlparser2");
  const parser = new Parser({
    onopentag(name, attributes) {
      open.push(open.at(-1) || UNREAD.has(name) || isLeftOut(name, attributes));
      if (BLOCKS.has(name)) lines.endLine();
      if (CELLS.has(name)) lines.add(" ");
      if (name === "br") lines.breakLine();
      if (name === "pre") preformatted++;
    },
    ontext(text) {
      if (open.at(-1)) return;
      if (preformatted > 0) lines.addPreformatted(text);
      else lines.add(text);
    },
    onclosetag(name) {
      open.pop();
      if (BLOCKS.has(name)) lines.endLine();
      if (name === "pre") preformatted--;
    },
  });
  parser.end(html);
  return lines.toString();
}

class Lines {
  private readonly lines: string[] = [];
  private line: string[] = [];
  /** Would a space that comes now be shown? Not at the start of a line, nor after another. */
  private takesSpace = false;

  add(text: string): void {
    // A space that stands alone is most of them, and stays.
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

  /** Where a block begins or ends: no line is left empty by it. */
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
