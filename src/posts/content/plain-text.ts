const BLOCKS = new Set(
  `address article aside blockquote caption dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header
   hr li ol p pre section summary table tbody tfoot thead tr ul`.split(/\s+/),
);
const CELLS = new Set(["td", "th"]);
/** Elements whose content is code, or text for old browsers. */
export const HIDDEN_ELEMENTS = new Set([
  "audio",
  "iframe",
  "noscript",
  "script",
  "style",
  "template",
  "video",
]);

/** Elements without content. */
const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
/** Entities that our serializers write. */
const WRITTEN_AS: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", "#x27": "'" };

/** The visible text of HTML, one line a block. @param isLeftOut elements to skip with their content */
export function plainText(
  html: string,
  isLeftOut: (name: string, attributes: Record<string, string>) => boolean = () => false,
): string {
  // Loaded on first use, to keep the server's start fast.
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

/** A faster `plainText` for HTML from `cleanHtml`: balanced, with `<` and `>` in tags only. */
export function textOfClean(html: string): string {
  const reading = new Reading();
  for (let at = 0; at < html.length; ) {
    const tag = html.indexOf("<", at);
    const text = html.slice(at, tag < 0 ? html.length : tag);
    if (text) reading.text(text.includes("&") ? unescaped(text) : text);
    if (tag < 0) break;
    const end = html.indexOf(">", tag);
    if (end < 0) break;
    const isEnd = html[tag + 1] === "/";
    const name = nameIn(html.slice(isEnd ? tag + 2 : tag + 1, end));
    const isVoid = VOID.has(name);
    if (!isEnd) reading.open(name);
    // The sanitizer writes end tags for some: `<source …></source>`, `<wbr></wbr>`.
    if (isEnd !== isVoid) reading.close(name);
    at = end + 1;
  }
  return reading.toString();
}

/** `img src="…" /` → "img" */
function nameIn(tag: string): string {
  const end = tag.search(/[ /]/);
  return end < 0 ? tag : tag.slice(0, end);
}

function unescaped(text: string): string {
  return text.replace(/&(#?\w+);/g, (written, name) => WRITTEN_AS[name] ?? written);
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
  /** HTML collapses white space at the start of a line and after a space. */
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
