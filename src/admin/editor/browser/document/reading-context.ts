import type { Attrs, Node as Content, Schema } from "@tiptap/pm/model";
import { isInvisible } from "./source-pieces";

export class UnsupportedHtml extends Error {}

export type Lines = (nodes: Node[]) => Content[];

export interface ReadingContext {
  schema: Schema;
  footnotes: Footnotes | null;
  /** @returns attributes that the attachment's element lacks, such as the alt text */
  attachment(sgid: string): Record<string, unknown>;
}

export interface Blocks {
  make(type: string, attributes: Attrs | null, content?: Content | Content[] | null): Content;
  inside(parent: ParentNode & Node): Content[];
}

export interface Footnotes {
  section: Element;
  keys: string[];
}

/** @returns null unless each reference has one note, in the same order */
export function footnotesIn(nodes: Node[]): Footnotes | null {
  const elements = nodes.filter((node) => node instanceof Element);
  const sections = elements.filter((element) => element.matches("section.footnotes"));
  const [section] = sections;
  const list = section?.firstElementChild;
  if (sections.length !== 1 || !section || list?.localName !== "ol" || section.children.length !== 1)
    return null;
  const keys = [...list.children].map(({ id }) => (id.startsWith("fn-") ? id.slice("fn-".length) : ""));
  const refs = elements.flatMap((element) =>
    [...element.querySelectorAll("sup.footnote-ref")].map(footnoteKey),
  );
  const isMatching = keys.length > 0 && keys.every((key, index) => key !== "" && refs[index] === key);
  return isMatching && refs.length === keys.length && new Set(keys).size === keys.length
    ? { section, keys }
    : null;
}

export function footnoteKey(sup: Element): string | null {
  const [link] = sup.children;
  const key = /^#fn-([\w:-]+)$/.exec(link?.getAttribute("href") ?? "")?.[1];
  const isPlatenReference =
    sup.childNodes.length === 1 && link?.localName === "a" && link.id === `fnref-${key}`;
  return key && isPlatenReference ? key : null;
}

/**
 * Removes the back link, which saving adds again.
 * @throws UnsupportedHtml unless the note has one back link
 */
export function noteOf(li: Element): Element {
  const copy = li.cloneNode(true) as Element;
  const back = copy.querySelectorAll("a.footnote-backref");
  if (back.length !== 1) throw new UnsupportedHtml();
  const text = back[0]?.previousSibling;
  if (text instanceof Text) text.data = text.data.replace(/\s+$/, "");
  back[0]?.remove();
  return copy;
}

export function elementsIn(element: Element): Element[] {
  const nodes = [...element.childNodes].filter((node) => !isInvisible(node));
  if (!nodes.every((node) => node instanceof Element)) throw new UnsupportedHtml();
  return nodes as Element[];
}

/** @throws RangeError if the schema forbids a block */
export function checkBlocks(read: Content[]): Content[] {
  for (const one of read) one.check();
  return read;
}
