import { html } from "../text/html";

type Parsing = typeof import("htmlparser2");
type Node = ReturnType<Parsing["parseDocument"]>["children"][number];
type Element = Extract<Node, { attribs: Record<string, string> }>;

/** Loaded on first use, for a fast start. */
const parsing = (): Parsing => require("htmlparser2");

/** Longer HTML is cut before parsing, because parsing blocks the event loop. */
const MAX_PARSED_LENGTH = 400_000;
/** In pixels: the widest picture file, and the text column. */
const MAX_PICTURE_WIDTH = 1200;
const COLUMN_WIDTH = 600;

const LINE = "1px solid rgba(128,128,128,.4)";
const GROUND = "background:rgba(128,128,128,.13)";
const CODE_FONT = "font-family:ui-monospace,Menlo,Consolas,monospace";
export const QUIET = "opacity:.7";

const STYLES: Record<string, string> = {
  a: "color:inherit;text-decoration:underline",
  blockquote: `margin:1.2em 0;padding:0 0 0 1em;border-left:3px solid rgba(128,128,128,.4)`,
  code: `${CODE_FONT};font-size:.88em;${GROUND};padding:.1em .3em;border-radius:3px`,
  dd: "margin:0 0 .6em 1.2em",
  dl: "margin:1em 0",
  dt: "font-weight:600",
  h1: "font-size:1.5em;line-height:1.25;margin:1.6em 0 .5em",
  h2: "font-size:1.3em;line-height:1.3;margin:1.6em 0 .5em",
  h3: "font-size:1.12em;line-height:1.35;margin:1.5em 0 .4em",
  h4: "font-size:1em;margin:1.4em 0 .4em",
  h5: "font-size:1em;margin:1.4em 0 .4em",
  h6: "font-size:1em;margin:1.4em 0 .4em",
  hr: `border:0;border-top:${LINE};margin:2em 0`,
  li: "margin:.3em 0",
  mark: "background:rgba(255,214,0,.35);color:inherit",
  ol: "margin:1em 0;padding-left:1.5em",
  p: "margin:0 0 1em",
  pre: `${CODE_FONT};font-size:.85em;line-height:1.5;${GROUND};padding:.9em 1em;border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere;margin:1.2em 0`,
  table: "border-collapse:collapse;width:100%;margin:1.2em 0;font-size:.92em",
  td: `border:${LINE};padding:.4em .6em;vertical-align:top`,
  th: `border:${LINE};padding:.4em .6em;text-align:left`,
  ul: "margin:1em 0;padding-left:1.5em",
};

const SHOWN = new Set([
  ...Object.keys(STYLES),
  ...`abbr b bdi bdo br cite del em i ins kbd q s samp small strong sub sup tbody td tfoot thead tr u var caption`.split(
    " ",
  ),
]);
const VOID = new Set(["br", "hr"]);
const KEPT_ATTRIBUTES = ["dir", "lang", "start", "reversed", "type", "value", "colspan", "rowspan"];

/**
 * @param stored sanitized HTML with absolute media URLs
 * @param url absolute URL of the post, for relative links
 * @param maxBytes limit of the HTML, and of the text; a longer post is cut between blocks
 */
export function mailContent(stored: string, url: string, maxBytes: number) {
  const document = parsing().parseDocument(stored.slice(0, MAX_PARSED_LENGTH));
  const writer = new Writer(url, notesIn(document.children));
  let isCut = stored.length > MAX_PARSED_LENGTH;
  let bytes = 0;
  const blocks: { html: string; text: string }[] = [];
  for (const node of topBlocks(document.children)) {
    const block = { html: writer.html(node), text: writer.text(node) };
    bytes += Math.max(Buffer.byteLength(block.html), Buffer.byteLength(block.text) + 2);
    if (bytes > maxBytes) {
      isCut = true;
      break;
    }
    blocks.push(block);
  }
  return {
    html: blocks.map((block) => block.html).join(""),
    text: blocks
      .map((block) => block.text.trim())
      .filter(Boolean)
      .join("\n\n"),
    isCut,
  };
}

/** Replaces wrappers by their children, because a long post is cut between top-level blocks. */
function topBlocks(nodes: Node[]): Node[] {
  return nodes.flatMap((node) =>
    isElement(node) && /^(?:article|div|section|header|footer|details)$/.test(node.name) && !isNotes(node)
      ? topBlocks(node.children as Node[])
      : [node],
  );
}

const isElement = (node: Node): node is Element => "attribs" in node;
const isNotes = (element: Element) => /\bfootnotes\b/.test(element.attribs.class ?? "");

function notesIn(nodes: Node[]): Map<string, Node[]> {
  const { findAll, removeElement } = parsing().DomUtils;
  const notes = new Map<string, Node[]>();
  for (const section of findAll((element) => isNotes(element as Element), nodes))
    for (const note of findAll(({ name }) => name === "li", section.children) as Element[])
      if (note.attribs.id) notes.set(note.attribs.id, note.children as Node[]);
  // Notes may refer to each other without end, so references in notes are left out.
  const isReference = ({ attribs }: { attribs: Record<string, string> }) =>
    notes.has((attribs.href ?? "").replace(/^#/, ""));
  for (const reference of findAll(isReference, [...notes.values()].flat())) removeElement(reference);
  return notes;
}

class Writer {
  constructor(
    private readonly url: string,
    private readonly notes: Map<string, Node[]>,
  ) {}

  html(node: Node): string {
    if (node.type === "text") return Bun.escapeHTML((node as { data: string }).data);
    if (!isElement(node)) return "";
    const { name, attribs } = node;
    const inner = () => this.htmlOf(node.children as Node[]);
    const note = this.noteAt(node);
    if (note)
      return ` <span style="font-size:.85em;${QUIET}">[${this.htmlOf(note.flatMap(inlineNodes)).trim()}]</span>`;
    if (isNotes(node) || /\bfootnote-backref\b/.test(attribs.class ?? "")) return "";
    if (name === "img") return this.picture(attribs);
    if (name === "figure") return `<div style="margin:1.5em 0">${inner()}</div>`;
    if (name === "figcaption" || name === "caption")
      return `<div style="font-size:.85em;line-height:1.45;${QUIET};margin-top:.5em">${inner()}</div>`;
    if (name === "summary") return `<p style="${STYLES.p}"><strong>${inner()}</strong></p>`;
    if (name === "input") return attribs.checked === undefined ? "☐ " : "☑ ";
    const player = playerOf(node);
    if (player) return this.playerLink(player);
    if (/^(?:source|script|style|col|colgroup)$/.test(name)) return "";
    if (name === "code" && (node.parent as Element | null)?.name === "pre") return inner();
    if (!SHOWN.has(name)) return isBlock(name) ? `<div>${inner()}</div>` : inner();
    const tag = name === "h1" ? "h2" : name;
    const open = `<${tag}${this.attributes(node)}>`;
    return VOID.has(name) ? open : `${open}${inner()}</${tag}>`;
  }

  private htmlOf(nodes: Node[]): string {
    return nodes.map((node) => this.html(node)).join("");
  }

  private attributes({ name, attribs }: Element): string {
    const attributes = KEPT_ATTRIBUTES.filter((attribute) => attribs[attribute] !== undefined).map(
      (attribute) => html` ${attribute}="${attribs[attribute] as string}"`.markup,
    );
    if (name === "a") attributes.push(html` href="${this.absolute(attribs.href ?? "")}"`.markup);
    const align = /text-align:(?:left|center|right)/.exec(attribs.style ?? "")?.[0];
    const style = [STYLES[name], align].filter(Boolean).join(";");
    return `${attributes.join("")}${style && ` style="${style}"`}`;
  }

  private picture({ src = "", alt = "", srcset = "", width, height }: Record<string, string>): string {
    const natural = Number(width ?? 0);
    const shown = Math.min(natural, COLUMN_WIDTH);
    const tall = natural > 0 ? Math.round((Number(height ?? 0) * shown) / natural) : 0;
    const size = shown > 0 && tall > 0 && html` width="${shown}" height="${tall}"`;
    const source = this.absolute(natural > MAX_PICTURE_WIDTH ? smallerSource(srcset, src) : src);
    return html`<img src="${source}" alt="${alt}"${size} style="display:block;max-width:100%;height:auto;border:0">`
      .markup;
  }

  private playerLink({ address, label }: { address: string; label: string }): string {
    return html`<p style="${STYLES.p}"><a href="${this.absolute(address)}" style="${STYLES.a as string}">▶ ${label}</a></p>`
      .markup;
  }

  text(node: Node): string {
    if (node.type === "text") return collapse((node as { data: string }).data);
    if (!isElement(node)) return "";
    const { name, attribs } = node;
    const inner = () => this.textOf(node.children as Node[]);
    const note = this.noteAt(node);
    if (note) return ` [${this.textOf(note.flatMap(inlineNodes)).trim()}]`;
    if (isNotes(node) || /\bfootnote-backref\b/.test(attribs.class ?? "")) return "";
    const player = playerOf(node);
    if (player) return `\n\n${player.label}: ${this.absolute(player.address)}\n\n`;
    if (/^(?:source|script|style)$/.test(name)) return "";
    if (name === "br") return "\n";
    if (name === "hr") return "\n\n* * *\n\n";
    if (name === "img") return attribs.alt ? `[Picture: ${attribs.alt}]` : "[Picture]";
    if (name === "input") return attribs.checked === undefined ? "[ ] " : "[x] ";
    if (name === "pre") return `\n\n${parsing().DomUtils.textContent(node)}\n\n`;
    if (name === "ul" || name === "ol") return this.listText(node);
    if (name === "blockquote") return `\n\n${tidyLines(inner()).replace(/^/gm, "> ")}\n\n`;
    if (name === "tr") return `\n${inner()}`;
    if (name === "td" || name === "th") return `${inner().trim()}  `;
    if (name === "a") return this.linkText(inner(), this.absolute(attribs.href ?? ""));
    return isBlock(name) ? `\n\n${inner()}\n\n` : inner();
  }

  private textOf(nodes: Node[]): string {
    return nodes
      .map((node) => this.text(node))
      .join("")
      .replace(/\n{3,}/g, "\n\n");
  }

  private listText({ name, attribs, children }: Element): string {
    let number = Number(attribs.start ?? 1);
    const items = (children as Node[]).filter(isElement).map((item) => {
      const mark = name === "ol" ? `${number++}.` : "-";
      return `${mark} ${tidyLines(this.textOf(item.children as Node[])).replaceAll("\n", "\n  ")}`;
    });
    return `\n\n${items.join("\n")}\n\n`;
  }

  private linkText(label: string, address: string): string {
    const isSame = label.trim() === address || /^mailto:|^tel:/.test(address);
    return isSame || address === "" ? label : `${label} (${address})`;
  }

  /** The reference is a link to the note, usually alone in a `sup`. */
  private noteAt({ name, attribs, children }: Element): Node[] | null {
    const [only] = children as Node[];
    if (name === "sup" && children.length === 1 && only && isElement(only)) return this.noteAt(only);
    const { href = "" } = attribs;
    return (href.startsWith("#") && this.notes.get(href.slice(1))) || null;
  }

  private absolute(address: string): string {
    return URL.parse(address, this.url)?.href ?? "";
  }
}

function smallerSource(srcset: string, src: string): string {
  const sizes = [...srcset.matchAll(/(\S{1,500}) (\d{1,6})w/g)].map(([, address = "", width]) => ({
    address,
    width: Number(width),
  }));
  return sizes.filter(({ width }) => width <= MAX_PICTURE_WIDTH).at(-1)?.address ?? src;
}

function playerOf({ name, attribs, children }: Element): { address: string; label: string } | null {
  const label = { video: "Watch the video", iframe: "Watch the video", audio: "Listen" }[name];
  if (!label) return null;
  const source = parsing().DomUtils.findOne(
    (child) => child.name === "source",
    children as Node[],
    true,
  ) as Element | null;
  const about = attribs["aria-label"] ?? attribs.title;
  return {
    address: attribs.src ?? source?.attribs.src ?? "",
    label: about ? `${label}: ${about}` : label,
  };
}

function inlineNodes(node: Node): Node[] {
  return isElement(node) && node.name === "p" ? (node.children as Node[]) : [node];
}

const INLINE = new Set(
  `a abbr b bdi bdo br cite code data del dfn em i input ins kbd mark q rb rp rt rtc ruby s samp small span strong
   sub sup time u var wbr`.split(/\s+/),
);
const isBlock = (name: string) => !INLINE.has(name);

const collapse = (text: string) => text.replace(/\s+/g, " ");

function tidyLines(text: string): string {
  return text.trim().replace(/\n{3,}/g, "\n\n");
}
