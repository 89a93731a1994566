import type { Attrs, Node as Content, NodeType } from "@tiptap/pm/model";
import { TableMap } from "@tiptap/pm/tables";
import { attributesOf, htmlOf } from "../html/inert-html";
import { alignmentIn } from "../schema/tables";
import { isPlayer } from "../schema/video-player";
import { parseAttachment } from "./html-to-attachment";
import { lineReader } from "./html-to-inline";
import { elementsIn, type Footnotes, noteOf, type ReadingContext, UnsupportedHtml } from "./reading-context";
import { isInline, isInvisible, splitAtBlocks } from "./source-pieces";

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
    if (name === "ul") {
      const items = elementsIn(element);
      const areTasks = items.length > 0 && items.every(isTask);
      return areTasks ? readList(this, "taskList", element, readTask) : readList(this, "bulletList", element);
    }
    if (name === "ol") return readList(this, "orderedList", element);
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
  const [child, ...others] = [...paragraph.childNodes].filter((node) => !isInvisible(node));
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

function readList(reader: BlockReader, type: string, element: Element, readItem = readListItem): Content {
  const items = [...element.childNodes].filter((node) => !isInvisible(node));
  if (!items.every((node) => node instanceof Element && node.localName === "li")) throw new UnsupportedHtml();
  const start = element.localName === "ol" ? listStart(element) : null;
  const kept = attributesOf(element, ...(start ? ["start"] : []));
  const read = (items as Element[]).map((item) => readItem(reader, item));
  return reader.make(type, { kept, ...(start && { start }) }, read);
}

function readListItem(reader: BlockReader, element: Element): Content {
  return reader.make("listItem", kept(element), reader.inside(element));
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
  const first = [...element.childNodes].find((node) => !isInvisible(node));
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
