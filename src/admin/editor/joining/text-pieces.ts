import { Parser } from "htmlparser2";

/** Elements that stand within a line: a text is not cut before them. */
const WITHIN_LINES = new Set(
  `a abbr b bdi bdo br cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small span
   strike strong sub sup time tt u var wbr`.split(/\s+/),
);

/** A text cut where blocks that stand in no other begin: any of them can be left out or exchanged. Together they are the text. */
export function piecesOf(text: string, type: "html" | "markdown"): string[] {
  const cuts = type === "markdown" ? cutsOfMarkdown(text) : cutsOfHtml(text);
  const starts = [0, ...cuts.filter((at) => at > 0 && at < text.length)];
  return text === "" ? [] : starts.map((start, index) => text.slice(start, starts[index + 1]));
}

/** None in HTML that leaves an element open: what came after it would stand in it. */
function cutsOfHtml(html: string): number[] {
  const cuts: number[] = [];
  let depth = 0;
  let isLeftOpen = false;
  const parser = new Parser({
    onopentag(name) {
      if (depth === 0 && !WITHIN_LINES.has(name)) cuts.push(parser.startIndex);
      depth++;
    },
    onclosetag() {
      depth--;
    },
  });
  parser.write(html);
  isLeftOpen = depth > 0;
  parser.end();
  return isLeftOpen ? [] : cuts;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** At lines after empty ones, but for those of code between fences. */
function cutsOfMarkdown(text: string): number[] {
  const cuts: number[] = [];
  let at = 0;
  let fence = "";
  let wasEmpty = false;
  for (const line of text.split("\n")) {
    const isEmpty = line.trim() === "";
    if (wasEmpty && !isEmpty && fence === "") cuts.push(at);
    const [, mark = ""] = FENCE.exec(line) ?? [];
    if (fence === "") fence = mark;
    else if (mark.startsWith(fence) && line.trim() === mark) fence = "";
    wasEmpty = isEmpty;
    at += line.length + 1;
  }
  return cuts;
}
