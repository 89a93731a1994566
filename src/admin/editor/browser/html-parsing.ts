export type Attributes = Record<string, string>;

const TAG = /<[a-zA-Z](?:"[^"]*"|'[^']*'|[^'">])*>/g;
const FORBIDDEN = /"[^"]*"|'[^']*'|(?<=[\s/"'])(style|on[a-z]+)(?=[\s=/>]|$)/gi;
const RENAMED = /"[^"]*"|'[^']*'|(?<=\s)kept-(style|on[a-z]+)(?=[\s=/>]|$)/g;

/**
 * Parses HTML in a template, which loads and runs nothing. Renames style and handler attributes to kept-*,
 * because the CSP would report violations. `attributesOf` and `htmlOf` restore their names.
 */
export function nodesOf(html: string): Node[] {
  const template = document.createElement("template");
  template.innerHTML = html.replace(TAG, (tag) =>
    tag.replace(FORBIDDEN, (found, name?: string) => (name ? `kept-${name}` : found)),
  );
  return [...template.content.childNodes];
}

export function attributesOf(element: Element, ...excluded: string[]): Attributes | null {
  const named = [...element.attributes].map(
    ({ name, value }) => [name.replace(/^kept-/, ""), value] as const,
  );
  const remaining = named.filter(([name]) => !excluded.includes(name));
  return remaining.length > 0 ? Object.fromEntries(remaining) : null;
}

export function htmlOf(node: Node): string {
  const holder = document.createElement("template");
  holder.content.append(node.cloneNode(true));
  return holder.innerHTML.replace(TAG, (tag) =>
    tag.replace(RENAMED, (found, name?: string) => name ?? found),
  );
}

export interface Piece {
  /** The HTML source, including surrounding white space and comments. */
  source: string;
  nodes: Node[];
}

const VOID = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const INLINE = new Set(
  `a abbr audio b bdi bdo br cite code data del dfn em i img input ins kbd mark q ruby s samp small span strong sub sup
  time u var video wbr font strike tt big label`.split(/\s+/),
);
const TOKEN = /<!--[\s\S]*?-->|<(\/?)([a-zA-Z][^\s/>]*)((?:"[^"]*"|'[^']*'|[^'">])*)>/g;
const ATTACHMENT = /<action-text-attachment\b(?:"[^"]*"|'[^']*'|[^'">])*>/gi;
const ATTACHMENT_END = "</action-text-attachment>";

export function isInline(node: Node): boolean {
  return node instanceof Element ? INLINE.has(node.localName) : node instanceof Text;
}

/**
 * If the source cannot be cut safely, for example because the tags don't match, splits the HTML that the
 * browser has repaired.
 */
export function piecesOf(source: string): Piece[] {
  const pieces = splitTopLevel(source)?.map((part) => ({ source: part, nodes: contentOf(part) }));
  const written = pieces?.flatMap(({ nodes }) => nodes.map(htmlOf)).join("");
  const isExact = written === contentOf(source).map(htmlOf).join("");
  return pieces && isExact ? pieces : splitRepaired(source);
}

/** @returns null if the tags don't match, or if there is an element such as `script`, whose content is not HTML */
function splitTopLevel(source: string): string[] | null {
  const parts: { source: string; isRun: boolean }[] = [];
  const open: string[] = [];
  let start = 0;
  const add = (end: number, isRun: boolean) => {
    const text = source.slice(start, end);
    const last = parts.at(-1);
    if (last && (text.trim() === "" || text.startsWith("<!--") || (isRun && last.isRun))) last.source += text;
    else if (text) parts.push({ source: text, isRun });
    start = end;
  };
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match; match = TOKEN.exec(source)) {
    const [whole, slash, tag, attributes = ""] = match;
    const end = match.index + whole.length;
    if (open.length === 0) add(match.index, true);
    if (tag === undefined) {
      if (open.length === 0) add(end, false);
      continue;
    }
    const name = tag.toLowerCase();
    if (/^(script|style|textarea|title|xmp|plaintext)$/.test(name)) return null;
    if (slash) {
      if (open.pop() !== name) return null;
    } else if (!VOID.has(name) && !isCompleteAttachment(source, name, attributes, end)) open.push(name);
    if (open.length === 0) add(end, INLINE.has(name));
  }
  if (open.length > 0) return null;
  add(source.length, true);
  const [first, second] = parts;
  if (first && second && contentOf(first.source).every(isInvisible)) {
    second.source = first.source + second.source;
    parts.shift();
  }
  return parts.map((part) => part.source);
}

/** Attachments may lack an end tag. True if the start tag is the whole attachment. */
function isCompleteAttachment(source: string, name: string, attributes: string, end: number): boolean {
  if (name !== "action-text-attachment") return false;
  if (attributes.endsWith("/")) return true;
  const close = source.indexOf(ATTACHMENT_END, end);
  const next = source.indexOf("<action-text-attachment", end);
  return close < 0 || (next >= 0 && next < close);
}

function splitRepaired(source: string): Piece[] {
  const pieces: (Piece & { isRun: boolean })[] = [];
  for (const node of contentOf(source)) {
    const last = pieces.at(-1);
    const isRun = isInline(node);
    if (last && (isInvisible(node) || (isRun && last.isRun))) {
      last.nodes.push(node);
      last.source += htmlOf(node);
    } else pieces.push({ source: htmlOf(node), nodes: [node], isRun });
  }
  return pieces;
}

/**
 * Adds missing end tags of attachments. Otherwise, the parser would put the HTML that follows into the
 * attachment.
 */
export function contentOf(html: string): Node[] {
  const complete = html.replace(ATTACHMENT, (tag, at: number) => {
    const isOpen = isCompleteAttachment(html, "action-text-attachment", tag.slice(0, -1), at + tag.length);
    return isOpen ? tag.replace(/\/?>$/, `>${ATTACHMENT_END}`) : tag;
  });
  return nodesOf(complete);
}

/** Blocks, and runs of consecutive other nodes. */
export function splitAtBlocks(nodes: Iterable<Node>, isBlock: (node: Node) => boolean): (Element | Node[])[] {
  const parts: (Element | Node[])[] = [];
  for (const node of nodes) {
    const last = parts.at(-1);
    if (isBlock(node)) parts.push(node as Element);
    else if (Array.isArray(last)) last.push(node);
    else parts.push([node]);
  }
  return parts;
}

export function isInvisible(node: Node): boolean {
  return node instanceof Comment || (node instanceof Text && node.data.trim() === "");
}

/** HTML that editor blocks cannot represent. */
export class UnsupportedHtml extends Error {}

export function elementsIn(element: Element): Element[] {
  const nodes = visibleChildren(element);
  if (!nodes.every((node) => node instanceof Element)) throw new UnsupportedHtml();
  return nodes;
}

export function visibleChildren(element: Element): Node[] {
  return [...element.childNodes].filter((node) => !isInvisible(node));
}
