import { html } from "../../../text/html";
import {
  expandGalleries,
  findElements,
  type HtmlElement,
  parseHtml,
  replaceWithHtml,
  tidyHtml,
  trimmedText,
  unwrap,
  videoPlayerOrLink,
} from "../items/html-content";
import { MAX_TEXT_BYTES, SourceError } from "../sources/source-files";
import { expandShortcode, LIKELY_SHORTCODE, replaceShortcodes, type WordpressContext } from "./shortcodes";
import { NOT_IN_EXPORT, type WordpressFiles } from "./wordpress-files";

const MAX_REPORTED = 20;

/** @throws SourceError if the result is too long */
export function convertWordpressContent(text: string, context: WordpressContext): string {
  const { files, lost } = context;
  const hasBlocks = text.includes("<!-- wp:");
  const names = new Set<string>();
  const expanded = replaceShortcodes(withBlocks(text, context), (code) => {
    const known = expandShortcode(code, context);
    if (known === null && LIKELY_SHORTCODE.test(code.name) && names.size < MAX_REPORTED) names.add(code.name);
    return known;
  });
  if (expanded.length > MAX_TEXT_BYTES) throw new SourceError("is too long.");
  for (const name of names) lost.push(`the shortcode [${name}], which stays unchanged`);
  const blocks = expanded.matchAll(/<!-- wp:([a-z][\w/-]{0,80})(?: \{[^<>]{0,4000}\})? \/-->/g);
  const lostBlocks = new Set(
    blocks.map(([, name = ""]) => name).filter((name) => !UNREPORTED_BLOCK.test(name)),
  );
  for (const name of lostBlocks.values().take(MAX_REPORTED))
    lost.push(`the block ${name}, whose content WordPress generates`);
  const withoutMarks = expanded.replace(/<!--\s{0,9}(?:more|nextpage)[^>]{0,200}-->/g, "");
  const document = parseHtml(hasBlocks ? withoutMarks : addParagraphs(embedLoneUrls(withoutMarks)));
  for (const figure of findElements(document, "figure"))
    if (/\bwp-block-embed\b/.test(figure.attribs.class ?? "")) replaceEmbed(figure);
  unwrap(document, ({ attribs }) => LAYOUT_BLOCK.test(attribs.class ?? ""));
  expandGalleries(document, (classes) => /\b(?:wp-block-gallery|blocks-gallery-grid)\b/.test(classes));
  for (const image of findElements(document, "img")) useOriginalImage(image, files);
  return tidyHtml(document);
}

/** Inserts reusable blocks, except those inside other reusable blocks. */
function withBlocks(text: string, { files, lost }: WordpressContext): string {
  return text.replace(/<!-- wp:block \{"ref":(\d{1,15})[^<>]{0,200}\/-->/g, (_, id) => {
    const block = files.blocksById.get(id);
    if (block === undefined) lost.push(`reusable blocks, ${NOT_IN_EXPORT}`);
    return block ?? "";
  });
}

/** Not reported as lost, because they have no content of their own. */
const UNREPORTED_BLOCK = /^(?:block|footnotes|more|nextpage|spacer|separator|post-[\w-]+)$/;

const LAYOUT_BLOCK =
  /\bwp-block-(?:columns?|group(?:__inner-container)?|cover__inner-container|media-text(?:__content)?|buttons?)(?!-|_)/;

/** WordPress also turns a URL that is alone on a line into a player. */
function embedLoneUrls(text: string): string {
  return text.replace(
    /^[ \t]{0,9}(https?:\/\/[^\s<>"]{1,1000})[ \t]{0,9}\r?$/gm,
    (line, address) => videoPlayerOrLink(address) || line,
  );
}

function replaceEmbed(embed: HtmlElement): void {
  const [address = ""] = /^https?:\/\/\S{1,1000}/.exec(trimmedText(embed)) ?? [];
  const caption = trimmedText(findElements(embed, "figcaption"));
  const below = caption && html`\n<p>${caption}</p>`.markup;
  if (address !== "") replaceWithHtml(embed, videoPlayerOrLink(address) + below);
}

function useOriginalImage(image: HtmlElement, files: WordpressFiles): void {
  const [, id] = /\bwp-image-(\d{1,15})\b/.exec(image.attribs.class ?? "") ?? [];
  const file = (id && files.byId.get(id)) || files.originalOf(image.attribs.src ?? "");
  if (file) image.attribs.src = file.address;
}

const BLOCKS =
  `table thead tfoot caption col colgroup tbody tr td th div dl dd dt ul ol li pre form map area blockquote
  address style p h[1-6] hr fieldset legend section article aside hgroup header footer nav figure figcaption details
  menu summary iframe video audio`.split(/\s+/);
const BLOCK = BLOCKS.join("|");
const BEFORE_BLOCK = new RegExp(`<(?:${BLOCK})(?=[\\s/>])`, "gi");
const AFTER_BLOCK = new RegExp(`</(?:${BLOCK})>|<hr\\b[^<>]{0,200}>`, "gi");
const BEGINS_WITH_BLOCK = new RegExp(`^</?(?:${BLOCK})(?=[\\s/>])`, "i");

/** Adds the paragraphs and line breaks that WordPress adds to classic posts when it shows them (wpautop). */
function addParagraphs(text: string): string {
  const parts = splitAtKept(text.replace(/\r\n?/g, "\n"));
  return parts.map((part, at) => (at % 2 === 1 ? part : paragraphs(part))).join("\n");
}

/** Odd parts are elements whose content must not change. One regular expression would take quadratic time. */
function splitAtKept(text: string): string[] {
  const parts: string[] = [];
  const unclosed = new Set<string>();
  let start = 0;
  for (const { index, 1: tag = "" } of text.matchAll(/<(pre|script|style)\b/gi)) {
    const name = tag.toLowerCase();
    if (index < start || unclosed.has(name)) continue;
    const closing = new RegExp(`</${name}>`, "gi");
    closing.lastIndex = index;
    if (closing.test(text)) {
      parts.push(text.slice(start, index), text.slice(index, closing.lastIndex));
      start = closing.lastIndex;
    } else unclosed.add(name);
  }
  return [...parts, text.slice(start)];
}

function paragraphs(text: string): string {
  const apart = text.replace(BEFORE_BLOCK, (tag) => `\n\n${tag}`).replace(AFTER_BLOCK, (tag) => `${tag}\n\n`);
  const lines = apart.split("\n").map((line) => (line.trim() === "" ? "" : line));
  const chunks = lines.join("\n").split(/\n{2,}/);
  return chunks
    .map((chunk) => chunk.trim())
    .filter(Boolean)
    .map(paragraph)
    .join("\n");
}

function paragraph(chunk: string): string {
  const [quote = ""] = /^<blockquote\b[^<>]{0,500}>/i.exec(chunk) ?? [];
  if (quote === "" && BEGINS_WITH_BLOCK.test(chunk)) return chunk;
  const text = chunk.slice(quote.length);
  const end = /<\/blockquote>\s*$/i.test(text.slice(-50)) ? "</blockquote>" : "";
  const words = (end ? text.slice(0, text.toLowerCase().lastIndexOf(end)) : text).trim();
  return quote + (words === "" ? "" : `<p>${words.replace(/\n/g, "<br>\n")}</p>`) + end;
}
