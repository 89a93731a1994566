import { Table, TableCell, TableHeader, TableRow } from "@tiptap/extension-table";
import { attributesOf } from "./html-parsing";
import { asDataAttribute, documentOnly } from "./preserved-markup";

/** Stored HTML has the alignment in `style` or `align`, the editor has it in `data-align`. */
export function alignmentIn(attributes: Record<string, string> | null): string {
  const { style = "", align, "data-align": data } = attributes ?? {};
  return /text-align:\s*(left|center|right)/.exec(style)?.[1] ?? data ?? align ?? "";
}

/** Cells have no inline styles, because the CSP forbids them. */
const cell = {
  addAttributes: () => ({
    colspan: { default: 1 },
    rowspan: { default: 1 },
    colwidth: documentOnly(null),
    alignment: {
      ...documentOnly(""),
      rendered: true,
      keepOnSplit: true,
      parseHTML: (element: HTMLElement) => alignmentIn(attributesOf(element)),
      renderHTML: ({ alignment }: { alignment?: string }) => (alignment ? { "data-align": alignment } : {}),
    },
  }),
};

const table = Table.extend({
  addAttributes: () => ({
    /** HTML of the caption and column groups. */
    before: asDataAttribute("before", ""),
  }),
  renderHTML: ({ HTMLAttributes }) => ["table", HTMLAttributes, ["tbody", 0]],
}).configure({ resizable: false, renderWrapper: false });

const row = TableRow.extend({
  addAttributes: () => ({
    /** Tag of the table section: "thead", "tbody" or "tfoot"; "" without one. */
    part: { ...asDataAttribute("part", "tbody"), keepOnSplit: true },
    partNumber: asDataAttribute("partNumber", 0),
    partAttributes: asDataAttribute<Record<string, string> | null>("partAttributes", null),
  }),
});

export const tables = [table, row, TableCell.extend(cell), TableHeader.extend(cell)];
