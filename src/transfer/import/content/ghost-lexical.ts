import { html, raw } from "../../../text/html";
import { isObject, parseJsonObject } from "../../../text/json";

const MAX_LENGTH = 20_000_000;
const MAX_DEPTH = 50;

/** Converts a draft from the editor's Lexical or Mobiledoc JSON to HTML. "" if both are missing. */
export function ghostDraftHtml(lexical: unknown, mobiledoc: unknown): string {
  const document = parseDraft(lexical) ?? parseDraft(mobiledoc);
  if (!document) return "";
  const lines = isObject(document.root)
    ? lexicalLines(document.root.children)
    : mobiledocLines(document.sections, listIn(document.cards));
  return lines.filter((line) => line !== "").join("\n");
}

function parseDraft(text: unknown): Record<string, unknown> | null {
  return typeof text === "string" && text.length <= MAX_LENGTH ? parseJsonObject(text) : null;
}

function lexicalLines(nodes: unknown): string[] {
  return listIn(nodes).filter(isObject).map(lexicalLine);
}

function lexicalLine(node: Record<string, unknown>): string {
  const { type, tag } = node;
  const card = cardLine(node);
  if (card !== null) return card;
  if (type === "list") return listLine(node);
  const words = inlineHtml(node);
  if (words === "") return "";
  if (typeof tag === "string" && /^h[2-6]$/.test(tag)) return `<${tag}>${words}</${tag}>`;
  return QUOTES.includes(String(type)) ? `<blockquote><p>${words}</p></blockquote>` : `<p>${words}</p>`;
}

const QUOTES = ["quote", "extended-quote", "aside"];

function listLine({ tag, children }: Record<string, unknown>, depth = 0): string {
  const items = listIn(children).map((item) => `<li>${inlineHtml(item, depth)}</li>`);
  return tag === "ol" ? `<ol>${items.join("")}</ol>` : `<ul>${items.join("")}</ul>`;
}

/** HTML of a card, or null if the node is text. */
function cardLine(node: Record<string, unknown>): string | null {
  const text = (name: string) => (typeof node[name] === "string" ? node[name] : "");
  switch (node.type) {
    case "image":
      return pictureLine(node);
    case "gallery":
      return listIn(node.images).filter(isObject).map(pictureLine).filter(Boolean).join("\n");
    case "html":
      return text("html");
    case "callout":
      return html`<aside class="callout"><p>${raw(text("calloutText"))}</p></aside>`.markup;
    case "toggle":
      return html`<details><summary>${raw(text("heading"))}</summary>${raw(text("content"))}</details>`
        .markup;
    case "codeblock":
    case "code":
      return html`<pre><code>${text("code")}</code></pre>`.markup;
    case "markdown":
    case "card-markdown":
      return text("markdown")
        .split(/\n{2,}/)
        .map((part) => html`<p>${part}</p>`.markup)
        .join("\n");
    case "bookmark":
    case "embed":
      return linkLine(text("url"), text("url"));
    case "button":
      return linkLine(text("buttonUrl"), text("buttonText"));
    case "horizontalrule":
    case "hr":
      return "<hr>";
    default:
      return null;
  }
}

function linkLine(address: string, words: string): string {
  return address && html`<p><a href="${address}">${words || address}</a></p>`.markup;
}

function pictureLine({ src, alt, caption }: Record<string, unknown>): string {
  if (typeof src !== "string") return "";
  const below = typeof caption === "string" && html`<figcaption>${raw(caption)}</figcaption>`;
  return html`<figure><img src="${src}" alt="${String(alt ?? "")}">${below}</figure>`.markup;
}

/** Bits of Lexical's `format`. */
const LOOKS = { strong: 1, em: 2, s: 4, u: 8, code: 16, sub: 32, sup: 64, mark: 128 };

function inlineHtml(node: unknown, depth = 0): string {
  if (!isObject(node) || depth > MAX_DEPTH) return "";
  if (typeof node.text === "string") return withFormat(Number(node.format), node.text);
  if (node.type === "linebreak") return "<br>";
  if (node.type === "list") return listLine(node, depth + 1);
  const words = listIn(node.children)
    .map((child) => inlineHtml(child, depth + 1))
    .join("");
  const isLink = typeof node.url === "string" && words !== "";
  return isLink ? html`<a href="${node.url as string}">${raw(words)}</a>`.markup : words;
}

function withFormat(format: number, text: string): string {
  const names = Object.entries(LOOKS).filter(([, bit]) => format & bit);
  return names.reduce((words, [name]) => `<${name}>${words}</${name}>`, Bun.escapeHTML(text));
}

/** Sections are `[1, "p", [[0, [], 0, "text"]]]`, lists `[3, "ul", [[[0, [], 0, "text"]]]]` and cards `[10, 0]`. */
function mobiledocLines(sections: unknown, cards: unknown[]): string[] {
  return listIn(sections).map((section) => {
    const [kind, card, marks] = listIn(section);
    if (kind === 10) return mobiledocCard(listIn(cards[Number(card)]));
    const paragraphs = kind === 3 ? listIn(marks) : kind === 1 ? [marks] : [];
    return paragraphs.map((one) => html`<p>${markedWords(one)}</p>`.markup).join("\n");
  });
}

/** Cards are `["image", { "src": … }]`. Their fields have the same names as in Lexical. */
function mobiledocCard([type, document]: unknown[]): string {
  return (isObject(document) && cardLine({ ...document, type })) || "";
}

function markedWords(marks: unknown): string {
  return listIn(marks)
    .map((mark) => listIn(mark)[3])
    .filter((text) => typeof text === "string")
    .join("");
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
