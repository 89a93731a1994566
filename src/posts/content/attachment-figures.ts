import { invalid } from "../../errors";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath, posterPath, srcset, thumbnailPath } from "../../media/files/media-urls";
import { CROP_RATIOS } from "../../media/files/rendition-sizes";
import { oneLine, percentDecoded } from "../../text/clean-text";
import { html, raw } from "../../text/html";
import { BASE_URL_MARK } from "../post/mf2-properties";
import { MAX_ATTACHMENTS } from "../post/post";

/** htmlparser2 takes longer for each tag if more elements are open. */
const MAX_DEPTH = 400;
export const TOO_MANY_ATTACHMENTS = `must contain at most ${MAX_ATTACHMENTS} attachments`;
/** Surrounds an embed's number in the extracted HTML. Cleaned text never contains this character. */
export const EMBED_MARK = "\u001A";

const WIDTHS = ["text", "wide", "full"];

export interface Embed {
  isOfCard: boolean;
  width: string;
  crop: string;
  sgid: string;
  filename: string;
  caption: string;
}

type EmbedRange = { embed: Embed; start: number; end: number };

/** `end` is the end of the start tag, until the embed is closed. */
interface OpenEmbed extends EmbedRange {
  depth: number;
  rangesBefore: number;
  figcaption: string | null;
}

/**
 * Replaces attachments with numbered marks.
 * @param html without EMBED_MARK
 * @throws Refusal (invalid) if there are too many attachments or nesting levels
 */
export function extractEmbeds(html: string): { html: string; embeds: Embed[] } {
  // Most posts skip the parser. Only HTML with more than MAX_DEPTH tags can be nested too deeply.
  const mayHoldEmbeds =
    /<(?:figure|action-text-attachment)/i.test(html) || html.split("<", MAX_DEPTH + 2).length > MAX_DEPTH + 1;
  const ranges = mayHoldEmbeds ? embedRanges(html) : [];
  const pieces: string[] = [];
  let copied = 0;
  ranges.forEach(({ start, end }, number) => {
    pieces.push(html.slice(copied, start), `${EMBED_MARK}${number}${EMBED_MARK}`);
    copied = end;
  });
  return { html: pieces.join("") + html.slice(copied), embeds: ranges.map(({ embed }) => embed) };
}

function embedRanges(html: string): EmbedRange[] {
  const ranges: EmbedRange[] = [];
  const open: OpenEmbed[] = [];
  let depth = 0;
  let embeds = 0;
  let figcaptions = 0;
  let cardDepth = 0;
  // Loaded on first use, so that the server starts fast.
  const { Parser } = require("htmlparser2") as typeof import("htmlparser2");
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH)
          throw invalid({ content: [`must be nested at most ${MAX_DEPTH} elements deep`] });
        if (name === "figcaption") figcaptions++;
        if (cardDepth === 0 && isCard(name, attributes)) cardDepth = depth;
        const figure = open.at(-1);
        if (figure && attributes.src) figure.embed.filename ||= filenameIn(attributes.src);
        const found = embedOf(name, attributes);
        if (!found) return;
        const embed = { ...found, isOfCard: cardDepth > 0 };
        if (++embeds > MAX_ATTACHMENTS) throw invalid({ content: [TOO_MANY_ATTACHMENTS] });
        const range = { embed, start: parser.startIndex, end: parser.endIndex + 1 };
        const figcaption = name === "figure" ? "" : null;
        open.push({ ...range, depth, rangesBefore: ranges.length, figcaption });
      },
      ontext(text) {
        const figure = open.at(-1);
        if (figcaptions > 0 && figure && figure.figcaption !== null) figure.figcaption += text;
      },
      onclosetag(name, isImplied) {
        if (name === "figcaption") figcaptions--;
        if (cardDepth === depth) cardDepth = 0;
        if (open.at(-1)?.depth === depth--) closeEmbed(open.pop() as OpenEmbed, isImplied);
      },
    },
    // HTML has no self-closing custom elements, but clients send `<action-text-attachment … />`.
    { recognizeSelfClosing: true },
  );
  const closeEmbed = ({ embed, start, end, rangesBefore, figcaption }: OpenEmbed, isImplied: boolean) => {
    if (isImplied) return void ranges.splice(rangesBefore, 0, { embed, start, end });
    embed.caption ||= (figcaption ?? "").replace(/\s+/g, " ").trim();
    const closedEnd = html.indexOf(">", parser.endIndex) + 1 || html.length;
    ranges.splice(rangesBefore, ranges.length, { embed, start, end: closedEnd });
  };
  parser.end(html);
  return ranges;
}

function isCard(name: string, { class: classes = "" }: Record<string, string>): boolean {
  return (name === "div" && classes === "bookmark") || (name === "figure" && classes === "player");
}

function embedOf(name: string, attributes: Record<string, string>): Omit<Embed, "isOfCard"> | null {
  const { class: classes = "", "data-sgid": renderedSgid } = attributes;
  const isRendered = name === "figure" && classes.split(/\s+/).includes("attachment") && renderedSgid;
  if (name !== "action-text-attachment" && !isRendered) return null;
  const { sgid = "", filename = "", caption = "" } = isRendered ? { sgid: renderedSgid } : attributes;
  return {
    width: WIDTHS.find((one) => one === attributes["data-width"]) ?? "",
    crop: CROP_RATIOS.find((one) => one === attributes["data-crop"]) ?? "",
    ...{ sgid: oneLine(sgid), filename: oneLine(filename), caption: oneLine(caption) },
  };
}

function filenameIn(address: string): string {
  const segment = address.split("/").at(-1) ?? "";
  return percentDecoded(segment) ?? segment;
}

const SIZES = "(min-width: 38rem) 38rem, 100vw";

/** A figure inside one of these elements is invalid HTML. */
const PHRASING_ONLY = new Set(
  `abbr b bdi bdo cite code data dfn em h1 h2 h3 h4 h5 h6 i kbd mark p pre q rb rp rt rtc ruby s samp small span
   strong sub summary sup time u var`.split(/\s+/),
);
/** For sanitized HTML only: its texts and attribute values contain no `<` or `>`. */
const TAG_OR_MARK = new RegExp(`<(/?)([a-z][a-z0-9]*)[^>]*>|${EMBED_MARK}(\\d+)${EMBED_MARK}`, "g");

const EMPTY_PARAGRAPH = /<p(?: [^<>]*)?>\s*<\/p>/;

type Shown = Pick<Embed, "sgid" | "caption" | "width" | "crop">;

export function attachmentFigure(blob: StoredBlob, shown: Shown, alt: string, isOwn = false): string {
  const { sgid, caption, width, crop } = shown;
  return html`<figure class="attachment attachment-${blob.mediaType}" data-sgid="${sgid}"${width && html` data-width="${width}"`}${crop && html` data-crop="${crop}"`}>${media(blob, alt, isOwn)}${
    caption && html`<figcaption>${caption}</figcaption>`
  }</figure>`.markup;
}

export function replaceFigure(stored: string, blob: StoredBlob, sgid: string, alt: string): string {
  const shown = new RegExp(
    `(<figure class="attachment attachment-\\w+" data-sgid="${RegExp.escape(sgid)}"(?: data-width="\\w+")?(?: data-crop="[\\d:]+")?>)(<(?:img|video)[^>]*>)(</video>)?`,
    "g",
  );
  return stored.replace(
    shown,
    (_, start: string, tag: string) => start + media(blob, alt, / class="u-/.test(tag)).markup,
  );
}

function media(blob: StoredBlob, alt: string, isOwn: boolean) {
  const src = BASE_URL_MARK + mediaPath(blob);
  const size = blob.width && blob.height && html` width="${blob.width}" height="${blob.height}"`;
  if (blob.mediaType === "video") {
    const poster = posterPath(blob) ?? thumbnailPath(blob);
    return html`<video${isOwn && raw(' class="u-video"')} controls preload="metadata" playsinline src="${src}" poster="${BASE_URL_MARK}${poster}"${size}${alt && html` aria-label="${alt}"`}></video>`;
  }
  const sources = srcset(blob, BASE_URL_MARK);
  return html`<img${isOwn && raw(' class="u-photo"')} src="${src}"${size} alt="${alt}"${sources && html` srcset="${sources}" sizes="${SIZES}"`} loading="lazy" decoding="async">`;
}

interface Open {
  name: string;
  tag: string;
  at: number;
  isEmpty: boolean;
  wasSplit: boolean;
}

export function insertFigures(sanitised: string, figureOf: (number: number) => string | null): string {
  if (!sanitised.includes(EMBED_MARK) && !EMPTY_PARAGRAPH.test(sanitised)) return sanitised;
  const page = new Page();
  let read = 0;
  for (const match of sanitised.matchAll(TAG_OR_MARK)) {
    const [whole, slash, name = "", number] = match;
    page.addText(sanitised.slice(read, match.index));
    read = match.index + whole.length;
    if (number !== undefined) page.addFigure(figureOf(Number(number)));
    else if (whole.endsWith("/>")) page.add(whole);
    else if (slash) page.close();
    else page.open(name, whole);
  }
  page.addText(sanitised.slice(read));
  return page.toString();
}

class Page {
  private readonly pieces: string[] = [];
  private readonly stack: Open[] = [];

  add(piece: string): void {
    this.pieces.push(piece);
    for (let index = this.stack.length - 1; this.stack[index]?.isEmpty; index--)
      (this.stack[index] as Open).isEmpty = false;
  }

  addText(text: string): void {
    if (/\S/.test(text)) this.add(text);
    else if (text) this.pieces.push(text);
  }

  open(name: string, tag: string, wasSplit = false): void {
    this.stack.push({ name, tag, at: this.pieces.length, isEmpty: true, wasSplit });
    this.pieces.push(tag);
  }

  close(): void {
    const { name, at, isEmpty, wasSplit } = this.stack.pop() as Open;
    if (isEmpty && (name === "p" || wasSplit)) this.pieces.length = at;
    else this.add(`</${name}>`);
  }

  addFigure(figure: string | null): void {
    if (figure === null) return;
    const first = this.stack.findIndex(({ name }) => PHRASING_ONLY.has(name));
    const split = first < 0 ? [] : this.stack.slice(first);
    for (const open of split) open.wasSplit = true;
    for (const _ of split) this.close();
    this.add(figure);
    for (const { name, tag } of split) this.open(name, tag, true);
  }

  toString(): string {
    return this.pieces.join("");
  }
}
