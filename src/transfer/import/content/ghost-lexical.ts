import { html, raw } from "../../../text/html";
import { isObject, parseJsonObject } from "../../../text/json";
import { figureHtml } from "./html-content";
import { linkParagraph } from "./players";

type Node = Record<string, unknown>;

/** For a draft without HTML. Mobiledoc drafts lose their links and lists. */
export function ghostDraftHtml(lexical: unknown, mobiledoc: unknown): string {
  const { root, sections, cards } = parseDraft(lexical) ?? parseDraft(mobiledoc) ?? {};
  const lines = isObject(root)
    ? nodesIn(root.children).map(blockHtml)
    : listIn(sections).map((section) => mobiledocHtml(section, listIn(cards)));
  return lines.filter((line) => line !== "").join("\n");
}

function parseDraft(text: unknown): Node | null {
  return typeof text === "string" ? parseJsonObject(text) : null;
}

function blockHtml(node: Node): string {
  const { type, tag, children } = node;
  if (type === "gallery") return nodesIn(node.images).map(figure).filter(Boolean).join("\n");
  if (type === "horizontalrule") return "<hr>";
  if (children === undefined) return figure(node) || cardTexts(node);
  const words = inlineHtml(node);
  if (type === "list" || words === "") return words;
  if (typeof tag === "string" && /^h[2-6]$/.test(tag)) return `<${tag}>${words}</${tag}>`;
  return type === "quote" ? `<blockquote><p>${words}</p></blockquote>` : `<p>${words}</p>`;
}

/** Bits of Lexical's `format`. */
const LOOKS = { strong: 1, em: 2, s: 4, code: 16 };

/** @throws RangeError if the nodes are nested too deeply */
function inlineHtml(node: Node): string {
  const { type, tag, url, text } = node;
  if (typeof text === "string") {
    const looks = Object.entries(LOOKS).filter(([, bit]) => Number(node.format) & bit);
    return looks.reduce((words, [name]) => `<${name}>${words}</${name}>`, Bun.escapeHTML(text));
  }
  if (type === "linebreak") return "<br>";
  const parts = nodesIn(node.children).map(inlineHtml);
  if (type === "list") {
    const items = parts.map((part) => `<li>${part}</li>`).join("");
    return tag === "ol" ? `<ol>${items}</ol>` : `<ul>${items}</ul>`;
  }
  const words = parts.join("");
  return typeof url === "string" && words !== "" ? html`<a href="${url}">${raw(words)}</a>`.markup : words;
}

function figure({ src, alt, caption }: Node): string {
  if (typeof src !== "string") return "";
  const image = html`<img src="${src}" alt="${String(alt ?? "")}">`;
  return figureHtml(image, typeof caption === "string" ? raw(caption) : "");
}

function cardTexts(node: Node): string {
  const text = (name: string) => (typeof node[name] === "string" ? node[name] : "");
  if (text("code") !== "") return html`<pre><code>${text("code")}</code></pre>`.markup;
  const address = text("url") || text("buttonUrl");
  if (address !== "") return linkParagraph(address, text("buttonText"));
  const parts = [text("calloutText"), text("heading"), text("content"), Bun.escapeHTML(text("markdown"))];
  const paragraphs = parts.filter(Boolean).map((part) => (part.startsWith("<p") ? part : `<p>${part}</p>`));
  return text("html") + paragraphs.join("\n");
}

/** Sections are `[1, "p", [[0, [], 0, "text"]]]`, lists `[3, "ul", [[[0, [], 0, "text"]]]]` and cards `[10, 0]`. */
function mobiledocHtml(section: unknown, cards: unknown[]): string {
  const [kind, card, marks] = listIn(section);
  if (kind === 10) {
    const [, fields] = listIn(cards[Number(card)]);
    return isObject(fields) ? blockHtml(fields) : "";
  }
  const paragraphs = kind === 3 ? listIn(marks) : [marks];
  const paragraphHtml = (paragraph: unknown) =>
    html`<p>${listIn(paragraph).map((mark) => String(listIn(mark)[3] ?? ""))}</p>`.markup;
  return paragraphs.map(paragraphHtml).join("\n");
}

function listIn(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function nodesIn(value: unknown): Node[] {
  return listIn(value).filter(isObject);
}
