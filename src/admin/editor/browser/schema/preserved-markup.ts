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
];

/** Lives in the document, and in nothing that is shown or copied. */
export const unseen = <Value>(value: Value) => ({
  default: value,
  rendered: false,
  keepOnSplit: false,
  parseHTML: () => value,
});

/**
 * Lives in the document, and goes along in an attribute of our own where a part of the page is copied: a `style` of its
 * own name would break the policy of the page that is edited in.
 */
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

/** Null, which leaves the default, where it is none that we wrote. */
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
    // HTML attributes that the editor has no use for: they go out as they came in.
    { types: [...BLOCKS, "link"], attributes: { kept: carried<Attributes | null>("kept", null) } },
    {
      types: ["paragraph"],
      attributes: {
        /** "div" where an app wrote its paragraphs so. */
        tag: { ...carried("tag", "p"), keepOnSplit: true },
        /** In a list's item, a cell or a quote: true where its text stood there without a paragraph of its own, false where in one. */
        bare: { ...carried<boolean | null>("bare", null), keepOnSplit: true },
      },
    },
  ],
});

/** Elements inside a line that the editor has no button for, with all their attributes: abbr, kbd, ruby, `<em lang>`. */
export const keptMark = Mark.create({
  name: "kept",
  excludes: "",
  // Where another mark begins inside of it, it stays one element.
  priority: 1100,
  inclusive: false,
  addAttributes: () => ({
    tag: carried("tag", "span"),
    attributes: carried<Record<string, string>>("attributes", {}),
    /** Which of the elements it is: two that stand side by side stay two. */
    key: unseen(""),
  }),
  parseHTML: () => [
    { tag: "[data-kept-tag], .kept", getAttrs: () => ({ key: newKey() }) },
    ...["abbr", "cite", "del", "dfn", "ins", "kbd", "mark", "q", "samp", "small", "sub", "sup", "var"].map(
      (tag) => ({ tag, getAttrs: () => ({ tag, key: newKey() }) }),
    ),
  ],
  /** Without its attributes: an editor page's policy forbids `style`, and ids there may clash. */
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
