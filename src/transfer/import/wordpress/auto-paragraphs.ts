/** Block elements, which need no paragraph. */
const BLOCKS =
  `table thead tfoot caption col colgroup tbody tr td th div dl dd dt ul ol li pre form map area blockquote
  address style p h[1-6] hr fieldset legend section article aside hgroup header footer nav figure figcaption details
  menu summary iframe video audio`.split(/\s+/);
const BLOCK = BLOCKS.join("|");
const BEFORE_BLOCK = new RegExp(`<(?:${BLOCK})(?=[\\s/>])`, "gi");
const AFTER_BLOCK = new RegExp(`</(?:${BLOCK})>|<hr\\b[^<>]{0,200}>`, "gi");
const BEGINS_WITH_BLOCK = new RegExp(`^</?(?:${BLOCK})(?=[\\s/>])`, "i");
/** Elements whose content stays unchanged. */
const KEPT = /<(pre|script|style|textarea)\b/gi;
/** Placeholder for kept elements: a control character that texts do not contain. */
const MARK = "\u0011";

/** Adds the paragraphs and line breaks that WordPress adds to classic posts when it shows them (wpautop). */
export function addParagraphs(text: string): string {
  const { marked, kept } = takenOut(text.replace(/\r\n?/g, "\n").replaceAll(MARK, ""));
  const apart = marked
    .replace(BEFORE_BLOCK, (tag) => `\n\n${tag}`)
    .replace(AFTER_BLOCK, (tag) => `${tag}\n\n`);
  const html = chunksOf(apart).map(paragraph).join("\n");
  return html.replace(new RegExp(`${MARK}(\\d+)${MARK}`, "g"), (_, number) => kept[Number(number)] ?? "");
}

function chunksOf(text: string): string[] {
  const chunks: string[][] = [[]];
  for (const line of text.split("\n"))
    if (line.trim() === "") chunks.push([]);
    else chunks.at(-1)?.push(line);
  return chunks.map((lines) => lines.join("\n").trim()).filter((chunk) => chunk !== "");
}

function paragraph(chunk: string): string {
  if (chunk.startsWith(MARK) && chunk.endsWith(MARK)) return chunk;
  const [quote = ""] = /^<blockquote\b[^<>]{0,500}>/i.exec(chunk) ?? [];
  if (quote !== "") return quote + inside(chunk.slice(quote.length));
  if (BEGINS_WITH_BLOCK.test(chunk)) return chunk;
  return inside(chunk);
}

function inside(text: string): string {
  const end = /<\/blockquote>\s*$/i.test(text.slice(-50)) ? "</blockquote>" : "";
  const words = (end ? text.slice(0, text.toLowerCase().lastIndexOf(end)) : text).trim();
  return (words === "" ? "" : `<p>${words.replace(/\n/g, "<br>\n")}</p>`) + end;
}

function takenOut(text: string): { marked: string; kept: string[] } {
  const kept: string[] = [];
  const small = text.toLowerCase();
  let marked = "";
  let copied = 0;
  for (const match of text.matchAll(KEPT)) {
    if (match.index < copied) continue;
    const closing = `</${match[1]?.toLowerCase()}>`;
    const end = small.indexOf(closing, match.index);
    if (end < 0) break;
    marked += `${text.slice(copied, match.index)}\n\n${MARK}${kept.length}${MARK}\n\n`;
    copied = end + closing.length;
    kept.push(text.slice(match.index, copied));
  }
  return { marked: marked + text.slice(copied), kept };
}
