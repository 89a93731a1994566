import { Extension, Mark } from "@tiptap/core";
import type { Attributes } from "./html-parsing";

const BLOCKS =
  `paragraph heading blockquote bulletList orderedList listItem taskList taskItem codeBlock table tableRow
  tableCell tableHeader embed callout toggle toggleTitle`.split(/\s+/);

/** Tiptap does not render the attribute. The `renderHTML` of the node may write it. */
export const documentOnly = <Value>(value: Value) => ({
  default: value,
  rendered: false,
  keepOnSplit: false,
  parseHTML: () => value,
});

/** Copied HTML contains the attribute as a data attribute, so that pasting restores the value. */
export function asDataAttribute<Value>(name: string, value: Value) {
  const attribute = `data-kept-${name.toLowerCase()}`;
  return {
    default: value,
    keepOnSplit: false,
    parseHTML: (element: HTMLElement) => parseValue(element.getAttribute(attribute)),
    renderHTML: ({ [name]: current }: Record<string, unknown>) =>
      current === null || current === value ? {} : { [attribute]: JSON.stringify(current) },
  };
}

function parseValue(json: string | null): unknown {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return null;
  }
}

export const keptAttributes = Extension.create({
  name: "keptAttributes",
  addGlobalAttributes: () => [
    { types: [...BLOCKS, "link"], attributes: { kept: asDataAttribute<Attributes | null>("kept", null) } },
    {
      types: ["paragraph"],
      attributes: {
        /** "div" if the source used div elements as paragraphs. */
        tag: { ...asDataAttribute("tag", "p"), keepOnSplit: true },
        /** True if the source had no paragraph tags in this list item, cell or quote; null for new text. */
        bare: { ...asDataAttribute<boolean | null>("bare", null), keepOnSplit: true },
      },
    },
  ],
});

/** Inline elements without a toolbar button, such as abbr, kbd and `<em lang>`. */
export const keptMark = Mark.create({
  name: "kept",
  excludes: "",
  // The highest priority, so that the element encloses other marks and is not split.
  priority: 1100,
  inclusive: false,
  addAttributes: () => ({
    tag: asDataAttribute("tag", "span"),
    attributes: asDataAttribute<Record<string, string>>("attributes", {}),
    /** A unique key, so that ProseMirror does not merge two adjacent elements. */
    key: documentOnly(""),
  }),
  parseHTML: () => [
    { tag: "[data-kept-tag], .kept", getAttrs: () => ({ key: newKey() }) },
    ...["abbr", "cite", "del", "dfn", "ins", "kbd", "mark", "q", "samp", "small", "sub", "sup", "var"].map(
      (tag) => ({ tag, getAttrs: () => ({ tag, key: newKey() }) }),
    ),
  ],
  /** Omits the source's attributes, because the CSP forbids `style` and ids may clash. */
  renderHTML: ({ mark, HTMLAttributes }) => [
    RENDERED.has(mark.attrs.tag) ? mark.attrs.tag : "span",
    { ...HTMLAttributes, class: "kept" },
    0,
  ],
});

const RENDERED = new Set(
  "abbr b bdi bdo cite code del dfn em i ins kbd mark q rb rp rt rtc ruby s samp small strong sub sup time u var".split(
    " ",
  ),
);

let last = 0;
export function newKey(): string {
  return String(++last);
}
