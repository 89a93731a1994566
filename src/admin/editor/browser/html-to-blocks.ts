import type { Attrs, Node as Content, Mark, MarkType, NodeType, Schema } from "@tiptap/pm/model";
import { TableMap } from "@tiptap/pm/tables";
import { type Footnotes, footnoteKey, noteOf } from "./footnotes";
import {
  attributesOf,
  elementsIn,
  htmlOf,
  isInline,
  isInvisible,
  splitAtBlocks,
  UnsupportedHtml,
  visibleChildren,
} from "./html-parsing";
import { isPlayer } from "./link-cards-and-players";
import { newKey } from "./preserved-markup";
import { alignmentIn } from "./tables";

export interface ReadingContext {
  schema: Schema;
  footnotes: Footnotes | null;
  /** @returns attributes that the attachment's element lacks, such as the alt text */
  attachment(sgid: string): Record<string, unknown>;
}

/** HTML that blocks cannot represent becomes an island, which the user can move or delete but not edit. */
export class BlockReader {
  readonly lines: (nodes: Node[]) => Content[];

  constructor(readonly reading: ReadingContext) {
    this.lines = lineReader(reading);
  }

  read(element: Element): Content[] {
    try {
      const blocks = [this.readKnown(element)].flat();
      for (const block of blocks) block.check();
      return blocks;
    } catch (error) {
      if (!(error instanceof UnsupportedHtml || error instanceof RangeError)) throw error;
      return [this.make("island", { html: htmlOf(element) })];
    }
  }

  private readKnown(element: Element): Content | Content[] {
    const name = element.localName;
    const { footnotes } = this.reading;
    if (footnotes && element === footnotes.section) return this.readFootnotes(footnotes);
    if ((name === "p" || name === "div") && element.classList.contains("attachment-gallery"))
      return elementsIn(element).map((one) => this.readAttachment(one));
    if (isCard(element)) return readCard(this, element);
    if (name === "p" || name === "div") return this.readInline("paragraph", element, { tag: name });
    if (/^h[1-6]$/.test(name)) return this.readInline("heading", element, { level: Number(name[1]) });
    if (name === "ul" || name === "ol") return readList(this, element);
    if (name === "aside" && element.classList.contains("callout"))
      return this.make("callout", kept(element, "class"), this.inside(element));
    if (name === "details") return this.readToggle(element);
    if (name === "blockquote") return this.make("blockquote", kept(element), this.inside(element));
    if (name === "pre") return readCode(this, element);
    if (name === "hr" && element.attributes.length === 0) return this.make("horizontalRule", null);
    if (name === "table") return readTable(this, element);
    const src = element.getAttribute("src");
    if (name === "iframe" && isPlayer(src ?? "")) return this.make("embed", { src, ...kept(element, "src") });
    return this.readAttachment(element);
  }

  private readAttachment(element: Element): Content {
    const found = parseAttachment(element);
    if (!found) throw new UnsupportedHtml();
    const { sgid = "", filename, "content-type": contentType, caption, ...rest } = found;
    const attributes = { sgid, filename, contentType, caption, rest };
    return this.make("attachment", { ...attributes, ...this.reading.attachment(sgid) });
  }

  private readInline(type: string, element: Element, attributes: Attrs): Content {
    const nodes = [...element.childNodes];
    if (!nodes.every(isInlineOrComment)) throw new UnsupportedHtml();
    return this.make(type, { ...kept(element), ...attributes }, this.lines(nodes));
  }

  private readToggle(element: Element): Content {
    const copy = element.cloneNode(true) as Element;
    const title = copy.firstElementChild;
    if (title?.localName !== "summary") throw new UnsupportedHtml();
    title.remove();
    return this.make("toggle", kept(element), [
      this.readInline("toggleTitle", title, {}),
      ...this.inside(copy),
    ]);
  }

  private readFootnotes({ section, keys }: Footnotes): Content {
    const items = elementsIn(section.firstElementChild as Element);
    const readFootnotes = items.map((li, index) =>
      this.make("footnote", { key: keys[index], ...kept(li, "id") }, this.inside(noteOf(li))),
    );
    return this.make("footnotes", {}, readFootnotes);
  }

  make(type: string, attributes: Attrs | null, content?: Content | Content[] | null): Content {
    return (this.reading.schema.nodes[type] as NodeType).create(attributes, content);
  }

  inside(parent: ParentNode & Node): Content[] {
    const parts = splitAtBlocks(parent.childNodes, (node) => !isInlineOrComment(node));
    const blocks = parts.flatMap((part) => {
      if (!Array.isArray(part)) return this.read(part).map(withTags);
      return part.every(isInvisible) ? [] : this.make("paragraph", { bare: true }, this.lines(part));
    });
    return blocks.length > 0 ? blocks : [this.make("paragraph", { bare: true })];
  }
}

const isInlineOrComment = (node: Node) => isInline(node) || node instanceof Comment;

function withTags(block: Content): Content {
  return block.type.name === "paragraph"
    ? block.type.create({ ...block.attrs, bare: false }, block.content)
    : block;
}

const kept = (element: Element, ...but: string[]) => ({ kept: attributesOf(element, ...but) });

/** A link card, or a video player with a title. */
export function isCard(element: Element): boolean {
  return element.matches("div.bookmark, figure.player");
}

function readCard(reader: BlockReader, element: Element): Content {
  const [first, ...others] = elementsIn(element);
  const found = first && parseAttachment(first);
  const picture = found ? Object.fromEntries(Object.entries(found).filter(([, value]) => value)) : null;
  const rest = found ? others : elementsIn(element);
  if (element.attributes.length > 1) throw new UnsupportedHtml();
  if (element.localName === "figure") return readPlayer(reader, rest, picture);
  const [title, ...lines] = rest;
  const link = title && onlyChild(title, "a");
  const site = lines.at(-1) && onlyChild(lines.at(-1) as Element, "cite");
  if (site) lines.pop();
  if (!link || lines.length > 1 || lines.some((line) => line.localName !== "p")) throw new UnsupportedHtml();
  const url = link.getAttribute("href") ?? "";
  const [description] = lines;
  if (link.attributes.length !== 1 || !url) throw new UnsupportedHtml();
  const texts = { title: textIn(link), description: textIn(description), site: textIn(site) };
  return reader.make("bookmark", { card: { url, ...texts, picture } });
}

function readPlayer(reader: BlockReader, [details, ...others]: Element[], picture: Attrs | null): Content {
  const [title, player, ...more] = details?.localName === "details" ? elementsIn(details) : [];
  const src = player?.localName === "iframe" ? player.getAttribute("src") : null;
  if (title?.localName !== "summary" || !player || !isPlayer(src ?? "") || more.length + others.length > 0)
    throw new UnsupportedHtml();
  return reader.make("embed", { src, ...kept(player, "src"), title: textIn(title), picture });
}

function onlyChild(paragraph: Element, name: string): Element | null {
  const [child, ...others] = visibleChildren(paragraph);
  const isMatch = paragraph.localName === "p" && child instanceof Element && child.localName === name;
  return isMatch && others.length === 0 ? child : null;
}

function textIn(element: Element | null | undefined): string {
  if (element?.firstElementChild) throw new UnsupportedHtml();
  return element?.textContent?.replace(/\s+/g, " ").trim() ?? "";
}

function readCode(reader: BlockReader, element: Element): Content {
  const inner = element.firstElementChild;
  const isWrapped = inner?.localName === "code" && element.childNodes.length === 1;
  const holder = isWrapped ? inner : element;
  if ([...holder.childNodes].some((node) => !(node instanceof Text))) throw new UnsupportedHtml();
  const classes = isWrapped ? (inner.getAttribute("class") ?? "") : "";
  const language = /^language-(\S+)$/.exec(classes)?.[1] ?? null;
  const text = holder.textContent ?? "";
  const attributes = {
    kept: attributesOf(element),
    language,
    isBare: !isWrapped,
    inner: isWrapped ? attributesOf(inner, ...(language ? ["class"] : [])) : null,
    end: text.endsWith("\n") ? "\n" : "",
  };
  const shown = text.replace(/\n$/, "");
  return reader.make("codeBlock", attributes, shown ? reader.reading.schema.text(shown) : null);
}

function readList(reader: BlockReader, element: Element): Content {
  const items = elementsIn(element);
  if (!items.every(({ localName }) => localName === "li")) throw new UnsupportedHtml();
  if (element.localName === "ul" && items.length > 0 && items.every(isTask))
    return reader.make(
      "taskList",
      kept(element),
      items.map((item) => readTask(reader, item)),
    );
  const read = items.map((item) => reader.make("listItem", kept(item), reader.inside(item)));
  if (element.localName === "ul") return reader.make("bulletList", kept(element), read);
  const start = listStart(element);
  const attributes = start === null ? kept(element) : { ...kept(element, "start"), start };
  return reader.make("orderedList", attributes, read);
}

function readTask(reader: BlockReader, element: Element): Content {
  const copy = element.cloneNode(true) as Element;
  const box = copy.querySelector("input") as HTMLInputElement;
  const attributes = { checked: box.hasAttribute("checked"), box: attributesOf(box) };
  box.remove();
  return reader.make("taskItem", { ...kept(element), ...attributes }, reader.inside(copy));
}

function isTask(element: Element): boolean {
  return element.localName === "li" && firstIn(element)?.matches("input[type=checkbox i]") === true;
}

function firstIn(element: Element): Element | null {
  const [first] = visibleChildren(element);
  if (!(first instanceof Element)) return null;
  return first.localName === "p" ? firstIn(first) : first;
}

function listStart(element: Element): number | null {
  const start = element.getAttribute("start") ?? "";
  return /^(0|[1-9]\d{0,5})$/.test(start) && start !== "1" ? Number(start) : null;
}

function readTable(reader: BlockReader, element: Element): Content {
  const before: string[] = [];
  const rows: Content[] = [];
  elementsIn(element).forEach((part, index) => {
    const partNumber = index + 1;
    const name = part.localName;
    if (/^(caption|colgroup)$/.test(name) && rows.length === 0) before.push(htmlOf(part));
    else if (name === "tr") rows.push(readRow(reader, part, { part: "", partNumber, partAttributes: null }));
    else {
      const at = { part: name, partNumber, partAttributes: attributesOf(part) };
      rows.push(...elementsIn(part).map((tr) => readRow(reader, tr, at)));
    }
  });
  const table = reader.make("table", { ...kept(element), before: before.join("") }, rows);
  table.check();
  if (TableMap.get(table).problems) throw new UnsupportedHtml();
  return table;
}

function readRow(reader: BlockReader, tr: Element, part: Record<string, unknown>): Content {
  if (tr.localName !== "tr") throw new UnsupportedHtml();
  const cells = elementsIn(tr).map((one) => readCell(reader, one));
  return reader.make("tableRow", { ...kept(tr), ...part }, cells);
}

function readCell(reader: BlockReader, element: Element): Content {
  const name = { th: "tableHeader", td: "tableCell" }[element.localName];
  if (!name) throw new UnsupportedHtml();
  const [colspan, rowspan] = ["colspan", "rowspan"].map((side) => Number(element.getAttribute(side) ?? 1));
  const kept = attributesOf(element, "colspan", "rowspan");
  const attributes = { colspan, rowspan, kept, alignment: alignmentIn(kept) };
  return reader.make(name, attributes, reader.inside(element));
}

const MARKS: Record<string, string> = {
  strong: "bold",
  em: "italic",
  s: "strike",
  u: "underline",
  code: "code",
};
/** Elements that become inline islands (HTML that cannot be edited). */
const REPLACED = new Set("audio img input video wbr".split(" "));

function lineReader({ schema, footnotes }: ReadingContext): (nodes: Node[]) => Content[] {
  const type = (name: string) => schema.nodes[name] as NodeType;
  const mark = (name: string, attributes = {}) => (schema.marks[name] as MarkType).create(attributes);
  const islandOf = (element: Element, marks: readonly Mark[]) =>
    type("inlineIsland").create({ html: htmlOf(element) }, null, marks);

  return (nodes) => {
    const content: Content[] = [];
    let isAfterSpace = true;
    const addText = (data: string, marks: readonly Mark[]) => {
      const spaced = data.replace(/[ \t\r\n\f]+/g, " ");
      const text = isAfterSpace ? spaced.replace(/^ /, "") : spaced;
      if (!text) return;
      isAfterSpace = text.endsWith(" ");
      content.push(schema.text(text, marks));
    };
    const add = (node: Content, isSpace = false) => {
      isAfterSpace = isSpace;
      content.push(node);
    };
    const walk = (node: Node, marks: readonly Mark[]) => {
      if (node instanceof Text) return addText(node.data, marks);
      if (!(node instanceof Element)) return;
      const name = node.localName;
      if (name === "br" && node.attributes.length === 0)
        return add(type("hardBreak").create(null, null, marks), true);
      const key = name === "sup" && footnotes ? footnoteKey(node) : null;
      if (key && footnotes?.keys.includes(key)) {
        const number = footnotes.keys.indexOf(key) + 1;
        return add(type("footnoteRef").create({ key, number }, null, marks));
      }
      const isReplaced = REPLACED.has(name) || name === "br" || !node.textContent?.trim();
      if (isReplaced || ![...node.querySelectorAll("*")].every(isInlineOrRuby))
        return add(islandOf(node, marks));
      const own = markOf(node);
      for (const child of node.childNodes) walk(child, own.addToSet(marks));
    };
    const markOf = (element: Element): Mark => {
      const name = element.localName;
      const href = element.getAttribute("href");
      if (name === "a" && href !== null) return mark("link", { href, kept: attributesOf(element, "href") });
      if (MARKS[name] && element.attributes.length === 0) return mark(MARKS[name]);
      return mark("kept", { tag: name, attributes: attributesOf(element) ?? {}, key: newKey() });
    };
    for (const node of nodes) walk(node, []);
    return trimEnd(content);
  };
}

function isInlineOrRuby(element: Element): boolean {
  return isInline(element) || /^r[btp]c?$/.test(element.localName);
}

function trimEnd(content: Content[]): Content[] {
  const last = content.at(-1);
  if (!last?.text?.endsWith(" ")) return content;
  const before = content.slice(0, -1);
  return last.text === " " ? trimEnd(before) : [...before, last.cut(0, last.nodeSize - 1)];
}

/** Must read the same attachment formats as src/posts/content/attachment-figures.ts. */
export function parseAttachment(element: Element): Record<string, string> | null {
  const caption = element.querySelector("figcaption")?.textContent?.replace(/\s+/g, " ").trim() ?? "";
  const { sgid, ...attributes } = attributesOf(element) ?? {};
  const unknown = { filename: "", "content-type": "" };
  if (element.localName === "action-text-attachment" && sgid)
    return { sgid, ...unknown, ...attributes, caption: attributes.caption || caption };
  const { "data-sgid": figureSgid, "data-width": width, "data-crop": crop } = attributes;
  if (!element.matches("figure.attachment") || !figureSgid) return null;
  const look = { ...(width && { "data-width": width }), ...(crop && { "data-crop": crop }) };
  return { ...look, sgid: figureSgid, ...unknown, caption };
}
