import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath, posterPath, srcset, thumbnailPath } from "../../media/files/media-urls";
import { html, raw } from "../../text/html";
import { BASE_URL_MARK } from "../post/mf2-properties";
import { EMBED_MARK, type Embed } from "./attachment-embeds";

/** Displayed width: the text column, or the viewport if it is narrower. */
const SIZES = "(min-width: 38rem) 38rem, 100vw";

/** Elements that allow only phrasing content. Browsers move nested figures out of these elements. */
const PHRASING_ONLY = new Set(
  `abbr b bdi bdo cite code data dfn em h1 h2 h3 h4 h5 h6 i kbd mark p pre q rb rp rt rtc ruby s samp small span
   strong sub summary sup time u var`.split(/\s+/),
);
/** Matches every tag, because sanitized HTML has `<` and `>` in tags only. */
const TAG_OR_MARK = new RegExp(`<(/?)([a-z][a-z0-9]*)[^>]*>|${EMBED_MARK}(\\d+)${EMBED_MARK}`, "g");

const EMPTY_PARAGRAPH = /<p(?: [^<>]*)?>\s*<\/p>/;

type Shown = Pick<Embed, "sgid" | "caption" | "width" | "crop">;

/**
 * @param isOwn whether the blob is one of the post's own photos or videos (u-photo, u-video)
 */
export function attachmentFigure(
  blob: StoredBlob,
  { sgid, caption, width, crop }: Shown,
  alt: string,
  isOwn = false,
): string {
  return html`<figure class="attachment attachment-${blob.mediaType}" data-sgid="${sgid}"${width && html` data-width="${width}"`}${crop && html` data-crop="${crop}"`}>${media(blob, alt, isOwn)}${
    caption && html`<figcaption>${caption}</figcaption>`
  }</figure>`.markup;
}

/** Updates the figures of a file in stored HTML. */
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
  return blob.mediaType === "video" ? video(blob, alt, isOwn) : image(blob, alt, isOwn);
}

function image(blob: StoredBlob, alt: string, isOwn: boolean) {
  const sources = srcset(blob, BASE_URL_MARK);
  const size = blob.width && blob.height && html` width="${blob.width}" height="${blob.height}"`;
  return html`<img${isOwn && raw(' class="u-photo"')} src="${BASE_URL_MARK}${mediaPath(blob)}"${size} alt="${alt}"${
    sources && html` srcset="${sources}" sizes="${SIZES}"`
  } loading="lazy" decoding="async">`;
}

function video(blob: StoredBlob, alt: string, isOwn: boolean) {
  const size = blob.width && blob.height && html` width="${blob.width}" height="${blob.height}"`;
  const poster = posterPath(blob) ?? thumbnailPath(blob);
  return html`<video${isOwn && raw(' class="u-video"')} controls preload="metadata" playsinline src="${BASE_URL_MARK}${mediaPath(blob)}" poster="${BASE_URL_MARK}${poster}"${size}${
    alt && html` aria-label="${alt}"`
  }></video>`;
}

interface Open {
  name: string;
  tag: string;
  at: number;
  isEmpty: boolean;
  wasSplit: boolean;
}

/**
 * Replaces marks with figures. Splits paragraphs around figures and drops empty paragraphs.
 * @param figureOf returns null if the mark has no figure
 */
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
