import { DomUtils } from "htmlparser2";
import { blobIdInSgid } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import type { WholePost } from "../../../posts/post/post";
import { altTextOf } from "../../../posts/post/post-images";
import { collectGarbageAfter } from "../../../runtime/garbage-collection";
import { type Html, html } from "../../../text/html";
import {
  type Document,
  documentOf,
  type Element,
  elements,
  outerHtml,
  putInstead,
} from "../../import/content/html-content";

/** A tree weighs forty times its text; told of as so many, it is collected after each long one, and seldom after short ones. */
const GARBAGE_OF_A_TREE = 5;

/** A picture or film as a post shows it. */
export interface ShownFile {
  blob: StoredBlob;
  caption: string;
  alt: string;
}

/** What readers are shown of a post, with the figures in it that show its files. @throws SourceFault beyond all measure */
export function shownDocument(
  platen: Platen,
  post: WholePost,
): { document: Document; files: Map<Element, ShownFile> } {
  collectGarbageAfter(GARBAGE_OF_A_TREE * post.html.length);
  const document = documentOf(insertBaseUrl(post.html, platen.config.url));
  const files = new Map<Element, ShownFile>();
  for (const figure of elements(document, "figure")) {
    const id = blobIdInSgid(platen, post.blogId, figure.attribs["data-sgid"] ?? "");
    const blob = id === null ? undefined : blobWithId(platen, id);
    const caption = DomUtils.textContent(elements(figure, "figcaption")).trim();
    if (blob) files.set(figure, { blob, caption, alt: altTextOf(blob, post.altText) });
  }
  return { document, files };
}

/** The same as HTML that needs nothing of this site. @param addressOf where files are to be found */
export function shownHtml(platen: Platen, post: WholePost, addressOf: (blob: StoredBlob) => string): string {
  const { document, files } = shownDocument(platen, post);
  for (const [figure, file] of files) putInstead(figure, plainFigure(file, addressOf(file.blob)));
  return outerHtml(document.children);
}

/** With nothing that only this site understands. */
export function plainFigure(file: ShownFile, address: string): string {
  const { caption } = file;
  return html`<figure>${plainMedia(file, address)}${caption && html`<figcaption>${caption}</figcaption>`}</figure>`
    .markup;
}

/** Without what is said below it. */
export function plainMedia({ blob, alt }: Omit<ShownFile, "caption">, address: string): Html {
  const size = blob.width && blob.height && html` width="${blob.width}" height="${blob.height}"`;
  return blob.mediaType === "video"
    ? html`<video controls src="${address}"${size}${alt && html` aria-label="${alt}"`}></video>`
    : html`<img src="${address}" alt="${alt}"${size}>`;
}
