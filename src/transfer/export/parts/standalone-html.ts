import { DomUtils } from "htmlparser2";
import { blobIdInSgid } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import { altTextOf, type WholePost } from "../../../posts/post/post";
import { type Html, html } from "../../../text/html";
import {
  findElements,
  type HtmlDocument,
  type HtmlElement,
  parseHtml,
  replaceWithHtml,
  serializeHtml,
} from "../../import/content/html-content";

export interface FigureFile {
  blob: StoredBlob;
  caption: string;
  alt: string;
}

/** Parses a rendered post and finds the figures of its files. @throws SourceError if it is too large */
export function parseRenderedPost(
  platen: Platen,
  post: WholePost,
): { document: HtmlDocument; files: Map<HtmlElement, FigureFile> } {
  const document = parseHtml(insertBaseUrl(post.html, platen.config.url));
  const files = new Map<HtmlElement, FigureFile>();
  for (const figure of findElements(document, "figure")) {
    const id = blobIdInSgid(platen, post.blogId, figure.attribs["data-sgid"] ?? "");
    const blob = id === null ? undefined : blobWithId(platen, id);
    const caption = DomUtils.textContent(findElements(figure, "figcaption")).trim();
    if (blob) files.set(figure, { blob, caption, alt: altTextOf(blob, post.altText) });
  }
  return { document, files };
}

/** The rendered post as HTML without dependencies on this site. */
export function standaloneHtml(
  platen: Platen,
  post: WholePost,
  addressOf: (blob: StoredBlob) => string,
): string {
  const { document, files } = parseRenderedPost(platen, post);
  for (const [figure, file] of files) replaceWithHtml(figure, figureHtml(file, addressOf(file.blob)));
  return serializeHtml(document.children);
}

export function figureHtml(file: FigureFile, address: string): string {
  const { caption } = file;
  return html`<figure>${mediaHtml(file, address)}${caption && html`<figcaption>${caption}</figcaption>`}</figure>`
    .markup;
}

export function mediaHtml({ blob, alt }: Omit<FigureFile, "caption">, address: string): Html {
  const size = blob.width && blob.height && html` width="${blob.width}" height="${blob.height}"`;
  return blob.mediaType === "video"
    ? html`<video controls src="${address}"${size}${alt && html` aria-label="${alt}"`}></video>`
    : html`<img src="${address}" alt="${alt}"${size}>`;
}
