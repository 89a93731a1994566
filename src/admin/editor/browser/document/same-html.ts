import { contentOf, isInline, isInvisible, splitAtBlocks } from "./source-pieces";

/** Ignores differences that readers cannot see, such as white space between blocks and the order of marks. */
export function isSameHtml(one: Node[], other: string): boolean {
  return outline(one) === outline(contentOf(other));
}

const PLAIN_MARKS = new Set(["strong", "em", "s", "u", "code", "a"]);

function outline(nodes: Node[], isPre = false): string {
  const parts = splitAtBlocks(nodes, (node) => node instanceof Element && !isInline(node));
  const lines = parts.map((part) => {
    if (Array.isArray(part)) return isPre || !part.every(isInvisible) ? lineOutline(part, isPre) : "";
    const isAttachment = part.localName === "action-text-attachment";
    const inner = isAttachment ? "" : outline([...part.childNodes], isPre || part.localName === "pre");
    return `<${tagOutline(part)}>{${inner}}`;
  });
  return lines.filter(Boolean).join("\n");
}

function tagOutline(element: Element): string {
  const attributes = [...element.attributes].map(({ name, value }) => `${name}=${JSON.stringify(value)}`);
  // An attachment's empty attributes are equal to missing ones.
  const compared = attributes.filter(
    (text) => element.localName !== "action-text-attachment" || !/^[\w-]+=""$/.test(text),
  );
  return [element.localName, ...compared.sort()].join(" ");
}

interface Run {
  text: string;
  marks: string;
  isElement: boolean;
}

function lineOutline(nodes: Node[], isPre: boolean): string {
  const runs: Run[] = [];
  let number = 0;
  const walk = (node: Node, marks: string[]) => {
    const around = [...new Set(marks)].sort().join("|");
    if (node instanceof Text) runs.push({ text: node.data, marks: around, isElement: false });
    if (!(node instanceof Element)) return;
    if (node.childNodes.length === 0)
      runs.push({ text: `<${tagOutline(node)}>`, marks: around, isElement: true });
    const isPlain = PLAIN_MARKS.has(node.localName);
    const mark = isPlain ? tagOutline(node) : `${tagOutline(node)} #${++number}`;
    for (const child of node.childNodes) walk(child, [...marks, mark]);
  };
  for (const node of nodes) walk(node, []);
  return JSON.stringify(mergeRuns(isPre ? runs : collapseSpaces(runs)));
}

function collapseSpaces(runs: Run[]): Run[] {
  let isAfterSpace = true;
  const collapsed = runs.map((run) => {
    if (run.isElement) {
      isAfterSpace = run.text === "<br>";
      return run;
    }
    const single = run.text.replace(/[ \t\r\n\f]+/g, " ");
    const text = isAfterSpace ? single.replace(/^ /, "") : single;
    if (text) isAfterSpace = text.endsWith(" ");
    return { ...run, text };
  });
  const parts = collapsed.filter(({ text }) => text !== "");
  const last = parts.at(-1);
  if (last && !last.isElement) last.text = last.text.replace(/ $/, "");
  return parts.filter(({ text }) => text !== "");
}

function mergeRuns(runs: Run[]): Run[] {
  const merged: Run[] = [];
  for (const run of runs) {
    const last = merged.at(-1);
    if (last && !last.isElement && !run.isElement && last.marks === run.marks) last.text += run.text;
    else merged.push({ ...run });
  }
  return merged;
}
