import { Extension } from "@tiptap/core";
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

/** Lives in the document, and never in the page that is edited in: a `style` there would break its policy. */
export const unseen = <Value>(value: Value) => ({
  default: value,
  rendered: false,
  keepOnSplit: false,
  parseHTML: () => value,
});

export const keptAttributes = Extension.create({
  name: "keptAttributes",
  addGlobalAttributes: () => [
    // HTML attributes that the editor has no use for: they go out as they came in.
    { types: [...BLOCKS, "link"], attributes: { kept: unseen<Attributes | null>(null) } },
    {
      types: ["paragraph"],
      attributes: {
        /** "div" where an app wrote its paragraphs so. */
        tag: { ...unseen("p"), keepOnSplit: true },
        /** In a list's item, a cell or a quote: true where its text stood there without a paragraph of its own, false where in one. */
        bare: { ...unseen<boolean | null>(null), keepOnSplit: true },
      },
    },
  ],
});
