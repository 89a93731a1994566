import { Extension, Mark } from "@tiptap/core";
import type { Attributes } from "../html/inert-html";

const BLOCKS = [
  "paragraph",
  "heading",
  "blockquote",
  "bulletList",
  "orderedList",
  "listItem",
  "taskList",
  "taskItem",
  "codeBlock",
  "table",
  "tableRow",
  "tableCell",
  "tableHeader",
  "embed",
  "callout",
  "toggle",
  "toggleTitle",
];

/** An attribute that only the document has, and neither rendered nor copied HTML. */
export const unseen = <Value>(value: Value) => ({
  default: value,
  rendered: false,
  keepOnSplit: false,
  parseHTML: () => value,
});

/** An attribute copied as a data attribute, because the page's CSP forbids `style`. */
export function carried<Value>(name: string, value: Value) {
  const attribute = `data-kept-${name.toLowerCase()}`;
  return {
    default: value,
    keepOnSplit: false,
    parseHTML: (element: HTMLElement) => valueIn(element.getAttribute(attribute)),
    renderHTML: ({ [name]: now }: Record<string, unknown>) =>
      now === null || now === value ? {} : { [attribute]: JSON.stringify(now) },
  };
}

/** @returns null if the JSON is missing or invalid */
function valueIn(json: string | null): unknown {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return null;
  }
}

export const keptAttributes = Extension.create({
  name: "keptAttributes",
  addGlobalAttributes: () => [
    // Preserves HTML attributes that the editor doesn't use.
    { types: [...BLOCKS, "link"], attributes: { kept: carried<Attributes | null>("kept", null) } },
    {
      types: ["paragraph"],
      attributes: {
        /** "div" if the source used div elements as paragraphs. */
        tag: { ...carried("tag", "p"), keepOnSplit: true },
        /** True if the source had no paragraph tags in this list item, cell or quote; null for new text. */
        bare: { ...carried<boolean | null>("bare", null), keepOnSplit: true },
      },
    },
  ],
});

/** Inline elements without a toolbar button, such as abbr, kbd and `<em lang>`. */
export const keptMark = Mark.create({
  name: "kept",
  excludes: "",
  // Encloses all other marks, so that the element is not split.
  priority: 1100,
  inclusive: false,
  addAttributes: () => ({
    tag: carried("tag", "span"),
    attributes: carried<Record<string, string>>("attributes", {}),
    /** A unique key prevents ProseMirror from merging two adjacent elements. */
    key: unseen(""),
  }),
  parseHTML: () => [
    { tag: "[data-kept-tag], .kept", getAttrs: () => ({ key: newKey() }) },
    ...["abbr", "cite", "del", "dfn", "ins", "kbd", "mark", "q", "samp", "small", "sub", "sup", "var"].map(
      (tag) => ({ tag, getAttrs: () => ({ tag, key: newKey() }) }),
    ),
  ],
  /** Renders no attributes of the source: the CSP forbids `style`, and ids may clash. */
  renderHTML: ({ mark, HTMLAttributes }) => [
    SHOWN.has(mark.attrs.tag) ? mark.attrs.tag : "span",
    { ...HTMLAttributes, class: "kept" },
    0,
  ],
});

const SHOWN = new Set(
  "abbr b bdi bdo cite code del dfn em i ins kbd mark q rb rp rt rtc ruby s samp small strong sub sup time u var".split(
    " ",
  ),
);

let last = 0;
export function newKey(): string {
  return String(++last);
}
