import type { Schema } from "@tiptap/pm/model";
import { isInvisible } from "./source-pieces";

export class UnsupportedHtml extends Error {}

export interface ReadingContext {
  schema: Schema;
  footnotes: Footnotes | null;
  /** @returns attributes that the attachment's element lacks, such as the alt text */
  attachment(sgid: string): Record<string, unknown>;
}

export interface Footnotes {
  section: Element;
  keys: string[];
}

/** @returns null unless each reference has one note, in the same order */
export function footnotesIn(nodes: Node[]): Footnotes | null {
  const elements = nodes.filter((node) => node instanceof Element);
  const [section, ...others] = elements.filter((element) => element.matches("section.footnotes"));
  if (!section || others.length > 0 || !section.matches(":has(> ol:only-child)")) return null;
  const keys = [...section.querySelectorAll(":scope > ol > *")].map(({ id }) => /^fn-(.+)/s.exec(id)?.[1]);
  const refs = elements.flatMap((element) => [...element.querySelectorAll("sup.footnote-ref")]);
  const isMatching =
    keys.length > 0 &&
    keys.length === refs.length &&
    new Set(keys).size === keys.length &&
    refs.every((ref, index) => footnoteKey(ref) !== null && footnoteKey(ref) === keys[index]);
  return isMatching ? { section, keys: keys as string[] } : null;
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
