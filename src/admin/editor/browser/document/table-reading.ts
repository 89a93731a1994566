import type { Node as Content } from "@tiptap/pm/model";
import { TableMap } from "@tiptap/pm/tables";
import { attributesOf, htmlOf } from "../html/inert-html";
import { alignmentIn } from "../schema/tables";
import { type Blocks, checked, elementsIn, Unknown } from "./reading";

/** @throws Unknown where its cells do not fit together @throws RangeError where the schema does not allow them */
export function tableRead(blocks: Blocks, element: Element): Content {
  const before: string[] = [];
  const rows: Content[] = [];
  elementsIn(element).forEach((part, index) => {
    const partNumber = index + 1;
    const name = part.localName;
    if (/^(caption|colgroup)$/.test(name) && rows.length === 0) before.push(htmlOf(part));
    else if (name === "tr") rows.push(row(blocks, part, { part: "", partNumber, partAttributes: null }));
    else {
      const at = { part: name, partNumber, partAttributes: attributesOf(part) };
      rows.push(...elementsIn(part).map((tr) => row(blocks, tr, at)));
    }
  });
  const attributes = { kept: attributesOf(element), before: before.join("") };
  const [table] = checked([blocks.make("table", attributes, rows)]) as [Content];
  if (TableMap.get(table).problems) throw new Unknown();
  return table;
}

function row(blocks: Blocks, tr: Element, part: Record<string, unknown>): Content {
  if (tr.localName !== "tr") throw new Unknown();
  const cells = elementsIn(tr).map((one) => cell(blocks, one));
  return blocks.make("tableRow", { kept: attributesOf(tr), ...part }, cells);
}

function cell(blocks: Blocks, element: Element): Content {
  const name = { th: "tableHeader", td: "tableCell" }[element.localName];
  if (!name) throw new Unknown();
  const [colspan, rowspan] = ["colspan", "rowspan"].map((side) => Number(element.getAttribute(side) ?? 1));
  const kept = attributesOf(element, "colspan", "rowspan");
  const attributes = { colspan, rowspan, kept, alignment: alignmentIn(kept) };
  return blocks.make(name, attributes, blocks.inside(element));
}
