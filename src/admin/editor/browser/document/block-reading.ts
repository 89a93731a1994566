import type { Node as Content, NodeType, Schema } from "@tiptap/pm/model";
import { TableMap } from "@tiptap/pm/tables";
import { type Attributes, attributesOf, htmlOf } from "../html/inert-html";
import { isPlayer } from "../schema/embed";
import { alignmentIn } from "../schema/tables";
import { isInline, isNothing } from "./pieces";
import { type Footnotes, type Lines, noteOf, type Reading, Unknown } from "./reading";

type Read = (element: Element) => Content | Content[];

/** Reads blocks into what the editor edits. @throws Unknown for what it cannot hold without losing anything */
export function blockReader(schema: Schema, lines: Lines, reading: Reading): Read {
  const type = (name: string) => schema.nodes[name] as NodeType;
  const kept = (element: Element, ...but: string[]) => ({ kept: attributesOf(element, ...but) });

  const paragraph = (element: Element) =>
    type("paragraph").create({ ...kept(element), tag: element.localName }, lines(inlineOnly(element)));

  /** Blocks, and text between them as paragraphs without tags. */
  const blocks = (parent: ParentNode & Node): Content[] => {
    const read: Content[] = [];
    let run: Node[] = [];
    const endRun = () => {
      if (!run.every(isNothing)) read.push(type("paragraph").create({ bare: true }, lines(run)));
      run = [];
    };
    for (const node of parent.childNodes) {
      if (isInline(node) || node instanceof Comment) run.push(node);
      else {
        endRun();
        const block = [readBlock(node as Element)].flat();
        read.push(...block.map((one) => (one.type.name === "paragraph" ? withBare(one) : one)));
      }
    }
    endRun();
    return read;
  };
  const withBare = (one: Content) => one.type.create({ ...one.attrs, bare: false }, one.content);
  const filled = (read: Content[]) => (read.length > 0 ? read : [type("paragraph").create({ bare: true })]);

  const readBlock: Read = (element) => {
    try {
      return checked(reader(element)(element));
    } catch (fault) {
      if (!(fault instanceof Unknown || fault instanceof RangeError)) throw fault;
      return type("island").create({ html: htmlOf(element) });
    }
  };

  const list = (name: string, item: (element: Element) => Content) => (element: Element) => {
    const items = [...element.childNodes].filter((node) => !isNothing(node));
    if (!items.every((node) => node instanceof Element && node.localName === "li")) throw new Unknown();
    const start = element.localName === "ol" ? startOf(element) : null;
    const attributes = kept(element, ...(start ? ["start"] : []));
    return type(name).create({ ...attributes, ...(start && { start }) }, (items as Element[]).map(item));
  };
  const item = (element: Element) =>
    checked(type("listItem").create(kept(element), filled(blocks(element)))) as Content;
  const task = (element: Element) => {
    const copy = element.cloneNode(true) as Element;
    const box = copy.querySelector("input") as HTMLInputElement;
    const attributes = { ...kept(element), checked: box.hasAttribute("checked"), box: attributesOf(box) };
    box.remove();
    return checked(type("taskItem").create(attributes, filled(blocks(copy)))) as Content;
  };
  const isTask = (element: Element) =>
    element.localName === "li" && firstIn(element)?.matches("input[type=checkbox i]") === true;

  const code: Read = (element) => {
    const inner = element.firstElementChild;
    const isWrapped = inner?.localName === "code" && element.childNodes.length === 1;
    const holder = isWrapped ? inner : element;
    if ([...holder.childNodes].some((node) => !(node instanceof Text))) throw new Unknown();
    const classes = isWrapped ? (inner.getAttribute("class") ?? "") : "";
    const language = /^language-(\S+)$/.exec(classes)?.[1] ?? null;
    const text = holder.textContent ?? "";
    const attributes = {
      ...kept(element),
      language,
      isBare: !isWrapped,
      inner: isWrapped ? attributesOf(inner, ...(language ? ["class"] : [])) : null,
      end: text.endsWith("\n") ? "\n" : "",
    };
    const shown = text.replace(/\n$/, "");
    return type("codeBlock").create(attributes, shown ? schema.text(shown) : null);
  };

  const table: Read = (element) => {
    const before: string[] = [];
    const rows: Content[] = [];
    let partNumber = 0;
    const row = (tr: Element, part: string, partAttributes: Attributes | null) => {
      if (tr.localName !== "tr") throw new Unknown();
      rows.push(
        type("tableRow").create({ ...kept(tr), part, partNumber, partAttributes }, elementsIn(tr).map(cell)),
      );
    };
    for (const part of elementsIn(element)) {
      partNumber++;
      if (/^(caption|colgroup)$/.test(part.localName) && rows.length === 0) before.push(htmlOf(part));
      else if (part.localName === "tr") row(part, "", null);
      else for (const tr of elementsIn(part)) row(tr, part.localName, attributesOf(part));
    }
    const read = checked(
      type("table").create({ ...kept(element), before: before.join("") }, rows),
    ) as Content;
    if (TableMap.get(read).problems) throw new Unknown();
    return read;
  };
  const cell = (element: Element): Content => {
    const name = { th: "tableHeader", td: "tableCell" }[element.localName];
    if (!name) throw new Unknown();
    const [colspan, rowspan] = ["colspan", "rowspan"].map((side) => Number(element.getAttribute(side) ?? 1));
    const rest = attributesOf(element, "colspan", "rowspan");
    const attributes = { colspan, rowspan, kept: rest, alignment: alignmentIn(rest) };
    return checked(type(name).create(attributes, filled(blocks(element)))) as Content;
  };

  const notes = (element: Element, { keys }: Footnotes): Content => {
    const items = elementsIn(element.firstElementChild as Element).map((li, index) =>
      type("footnote").create({ key: keys[index], kept: attributesOf(li, "id") }, filled(blocks(noteOf(li)))),
    );
    return checked(type("footnotes").create({}, items)) as Content;
  };

  const reader = (element: Element): Read => {
    const name = element.localName;
    if (element === reading.footnotes?.section) return () => notes(element, reading.footnotes as Footnotes);
    if (name === "p" || name === "div") {
      if (element.classList.contains("attachment-gallery"))
        return (all) => elementsIn(all).map((one) => attachment(one));
      return paragraph;
    }
    if (/^h[1-6]$/.test(name))
      return () =>
        type("heading").create({ ...kept(element), level: Number(name[1]) }, lines(inlineOnly(element)));
    if (name === "ul") {
      const items = elementsIn(element);
      return items.length > 0 && items.every(isTask) ? list("taskList", task) : list("bulletList", item);
    }
    if (name === "ol") return list("orderedList", item);
    if (name === "blockquote") return () => type("blockquote").create(kept(element), filled(blocks(element)));
    if (name === "pre") return code;
    if (name === "hr" && element.attributes.length === 0) return () => type("horizontalRule").create();
    if (name === "table") return table;
    if (name === "iframe" && isPlayer(element.getAttribute("src") ?? ""))
      return () => type("embed").create({ src: element.getAttribute("src"), ...kept(element, "src") });
    if (name === "action-text-attachment" || name === "figure") return attachment;
    throw new Unknown();
  };

  const attachment = (element: Element): Content => {
    const read = attachmentIn(element);
    if (!read) throw new Unknown();
    const { sgid, filename, "content-type": contentType, caption, ...rest } = read;
    const attributes = { sgid, filename, contentType, caption, rest };
    return type("attachment").create({ ...attributes, ...reading.attachment(sgid as string) });
  };

  return readBlock;
}

/** An attachment in any of the ways that the server knows (see posts/content/attachment-embeds). */
export function attachmentIn(element: Element): Record<string, string> | null {
  const caption = element.querySelector("figcaption")?.textContent?.replace(/\s+/g, " ").trim() ?? "";
  if (element.localName === "action-text-attachment") {
    const { sgid, ...attributes } = attributesOf(element) ?? {};
    if (!sgid) return null;
    return { sgid, filename: "", "content-type": "", ...attributes, caption: attributes.caption || caption };
  }
  if (element.localName !== "figure") return null;
  const trix = objectIn(element.getAttribute("data-trix-attachment"));
  const sgid =
    trix.sgid ?? (element.classList.contains("attachment") ? element.getAttribute("data-sgid") : null);
  if (!sgid) return null;
  const attributes = objectIn(element.getAttribute("data-trix-attributes"));
  return {
    sgid,
    filename: trix.filename ?? "",
    "content-type": trix.contentType ?? "",
    caption: attributes.caption || trix.caption || caption,
  };
}

function objectIn(json: string | null): Record<string, string> {
  try {
    const entries = Object.entries(JSON.parse(json ?? "{}") ?? {});
    return Object.fromEntries(entries.filter(([, value]) => typeof value === "string")) as Record<
      string,
      string
    >;
  } catch {
    return {};
  }
}

/** @throws Unknown where a block stands in it */
function inlineOnly(element: Element): Node[] {
  const nodes = [...element.childNodes];
  if (!nodes.every((node) => isInline(node) || node instanceof Comment)) throw new Unknown();
  return nodes;
}

/** @throws Unknown where there is text beside them */
function elementsIn(element: Element): Element[] {
  const nodes = [...element.childNodes].filter((node) => !isNothing(node));
  if (!nodes.every((node) => node instanceof Element)) throw new Unknown();
  return nodes as Element[];
}

function firstIn(element: Element): Element | null {
  const first = [...element.childNodes].find((node) => !isNothing(node));
  if (!(first instanceof Element)) return null;
  return first.localName === "p" ? firstIn(first) : first;
}

function startOf(element: Element): number | null {
  const start = element.getAttribute("start");
  return start !== null && start !== "1" && /^\d{1,6}$/.test(start) && String(Number(start)) === start
    ? Number(start)
    : null;
}

/** @throws RangeError where the schema does not allow it */
function checked(read: Content | Content[]): Content | Content[] {
  for (const one of [read].flat()) one.check();
  return read;
}
