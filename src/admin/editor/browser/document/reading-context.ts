import type { Attrs, Node as Content, Schema } from "@tiptap/pm/model";
import { isNothing } from "./source-pieces";

/** What the editor cannot hold: it becomes an island. */
export class Unknown extends Error {}

/** Text with its marks, of nodes that stand in a line. */
export type Lines = (nodes: Node[]) => Content[];

/** What is known of the whole document while its pieces are read. */
export interface Reading {
  schema: Schema;
  footnotes: Footnotes | null;
  /** What the editor needs to know of a file besides what its element says. */
  attachment(sgid: string): Record<string, unknown>;
}

/** What reads a block that holds others. */
export interface Blocks {
  make(type: string, attributes: Attrs | null, content?: Content | Content[] | null): Content;
  /** The blocks in it, and text between them as paragraphs without tags; an empty one where there is nothing. */
  inside(parent: ParentNode & Node): Content[];
}

export interface Footnotes {
  section: Element;
  keys: string[];
}

/** Those of the document, where each number has its note and each note its one number, in the same order; else null. */
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
  const fits = keys.length > 0 && keys.every((key, index) => key !== "" && refs[index] === key);
  return fits && refs.length === keys.length && new Set(keys).size === keys.length ? { section, keys } : null;
}

/** The key of a number in the text as our Markdown and the editor write it; null where it is another. */
export function footnoteKey(sup: Element): string | null {
  const [link] = sup.children;
  const key = /^#fn-([\w:-]+)$/.exec(link?.getAttribute("href") ?? "")?.[1];
  const isOurs = sup.childNodes.length === 1 && link?.localName === "a" && link.id === `fnref-${key}`;
  return key && isOurs ? key : null;
}

/** A note without its way back, which is written anew. */
export function noteOf(li: Element): Element {
  const copy = li.cloneNode(true) as Element;
  const back = copy.querySelectorAll("a.footnote-backref");
  if (back.length !== 1) throw new Unknown();
  const text = back[0]?.previousSibling;
  if (text instanceof Text) text.data = text.data.replace(/\s+$/, "");
  back[0]?.remove();
  return copy;
}

/** @throws Unknown where there is text beside them */
export function elementsIn(element: Element): Element[] {
  const nodes = [...element.childNodes].filter((node) => !isNothing(node));
  if (!nodes.every((node) => node instanceof Element)) throw new Unknown();
  return nodes as Element[];
}

/** @throws RangeError where the schema does not allow one of them */
export function checked(read: Content[]): Content[] {
  for (const one of read) one.check();
  return read;
}
