import type { Node as Content, Mark, MarkType, NodeType } from "@tiptap/pm/model";
import { attributesOf, htmlOf } from "../html/inert-html";
import { newKey } from "../schema/preserved-markup";
import { footnoteKey, type ReadingContext } from "./reading-context";
import { isInline } from "./source-pieces";

const MARKS: Record<string, string> = {
  strong: "bold",
  em: "italic",
  s: "strike",
  u: "underline",
  code: "code",
};
/** Elements that become inline islands (HTML that cannot be edited). */
const REPLACED = new Set("audio img input video wbr".split(" "));

export function lineReader({ schema, footnotes }: ReadingContext): (nodes: Node[]) => Content[] {
  const type = (name: string) => schema.nodes[name] as NodeType;
  const mark = (name: string, attributes = {}) => (schema.marks[name] as MarkType).create(attributes);
  const islandOf = (element: Element, marks: readonly Mark[]) =>
    type("inlineIsland").create({ html: htmlOf(element) }, null, marks);

  return (nodes) => {
    const content: Content[] = [];
    let isAfterSpace = true;
    const addText = (data: string, marks: readonly Mark[]) => {
      const spaced = data.replace(/[ \t\r\n\f]+/g, " ");
      const text = isAfterSpace ? spaced.replace(/^ /, "") : spaced;
      if (!text) return;
      isAfterSpace = text.endsWith(" ");
      content.push(schema.text(text, marks));
    };
    const add = (node: Content, isSpace = false) => {
      isAfterSpace = isSpace;
      content.push(node);
    };
    const walk = (node: Node, marks: readonly Mark[]) => {
      if (node instanceof Text) return addText(node.data, marks);
      if (!(node instanceof Element)) return;
      const name = node.localName;
      if (name === "br" && node.attributes.length === 0)
        return add(type("hardBreak").create(null, null, marks), true);
      const key = name === "sup" && footnotes ? footnoteKey(node) : null;
      if (key && footnotes?.keys.includes(key)) {
        const number = footnotes.keys.indexOf(key) + 1;
        return add(type("footnoteRef").create({ key, number }, null, marks));
      }
      const isReplaced = REPLACED.has(name) || name === "br" || !node.textContent?.trim();
      if (isReplaced || ![...node.querySelectorAll("*")].every(isInlineOrRuby))
        return add(islandOf(node, marks));
      const own = markOf(node);
      for (const child of node.childNodes) walk(child, own.addToSet(marks));
    };
    const markOf = (element: Element): Mark => {
      const name = element.localName;
      const href = element.getAttribute("href");
      if (name === "a" && href !== null) return mark("link", { href, kept: attributesOf(element, "href") });
      if (MARKS[name] && element.attributes.length === 0) return mark(MARKS[name]);
      return mark("kept", { tag: name, attributes: attributesOf(element) ?? {}, key: newKey() });
    };
    for (const node of nodes) walk(node, []);
    return trimEnd(content);
  };
}

function isInlineOrRuby(element: Element): boolean {
  return isInline(element) || /^r[btp]c?$/.test(element.localName);
}

function trimEnd(content: Content[]): Content[] {
  const last = content.at(-1);
  if (!last?.text?.endsWith(" ")) return content;
  const before = content.slice(0, -1);
  return last.text === " " ? trimEnd(before) : [...before, last.cut(0, last.nodeSize - 1)];
}
