import { DomUtils } from "htmlparser2";
import { html } from "../../../html";
import { blobIdInSgid } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import { mediaPath, posterPath } from "../../../media/media-urls";
import type { Platen } from "../../../platen";
import { altOf } from "../../../posts/post/alt-text";
import type { WholePost } from "../../../posts/post/post";
import { withBase } from "../../../posts/post/stored-addresses";
import {
  documentOf,
  type Element,
  elements,
  type Node,
  outerHtml,
  putInstead,
} from "../../import/content/html-pictures";
import { attachmentId } from "./wxr-ids";

/**
 * What a post shows, as blocks of WordPress's editor: paragraphs, headings, pictures and films as such, all else as the HTML
 * that it is. With blocks in it WordPress adds no paragraphs and line breaks of its own.
 */
export function postBlocks(platen: Platen, post: WholePost): string {
  const document = documentOf(withBase(post.html, platen.config.url));
  const shown = new Map(
    elements(document, "figure").map((figure) => [figure, shownIn(platen, post, figure)]),
  );
  const atTop = new Set<Node>(document.children);
  for (const [figure, file] of shown)
    if (file && !atTop.has(figure)) putInstead(figure, fileFigure(platen, file));
  return document.children
    .map((node) => {
      const file = shown.get(node as Element);
      return file ? fileBlock(platen, file) : blockOf(node);
    })
    .filter((block) => block !== "")
    .join("\n\n");
}

interface ShownFile {
  blob: StoredBlob;
  caption: string;
  alt: string;
}

/** null: the figure is none of an upload. */
function shownIn(platen: Platen, { blogId, altText }: WholePost, figure: Element): ShownFile | null {
  const id = blobIdInSgid(platen, blogId, figure.attribs["data-sgid"] ?? "");
  const blob = id === null ? undefined : blobWithId(platen, id);
  const caption = DomUtils.textContent(elements(figure, "figcaption")).trim();
  return blob ? { blob, caption, alt: altOf(blob, altText) } : null;
}

function blockOf(node: Node): string {
  const text = outerHtml([node]);
  const { name = "", attribs = {} } = node as Element;
  const isPlain = Object.keys(attribs).length === 0;
  if (isPlain && name === "p") return block("paragraph", "", text);
  if (isPlain && /^h[1-6]$/.test(name)) {
    const heading = text.replace(/^<h\d/, '$& class="wp-block-heading"');
    return block("heading", ` {"level":${name.slice(1)}}`, heading);
  }
  return text.trim() === "" ? "" : block("html", "", text);
}

function fileBlock(platen: Platen, file: ShownFile): string {
  const { mediaType } = file.blob;
  const size = mediaType === "image" ? ',"sizeSlug":"full"' : "";
  return block(mediaType, ` {"id":${attachmentId(file.blob)}${size}}`, fileFigure(platen, file));
}

function block(name: string, settings: string, text: string): string {
  return `<!-- wp:${name}${settings} -->\n${text}\n<!-- /wp:${name} -->`;
}

/** As the editor writes it: it takes what differs for damaged. */
function fileFigure({ config }: Platen, { blob, caption, alt }: ShownFile): string {
  const address = config.url + mediaPath(blob);
  const poster = posterPath(blob);
  const isImage = blob.mediaType === "image";
  const shown = isImage
    ? html`<img src="${address}" alt="${alt}" class="wp-image-${attachmentId(blob)}"/>`
    : html`<video controls${poster && html` poster="${config.url + poster}"`} src="${address}"></video>`;
  const below = caption && html`<figcaption class="wp-element-caption">${caption}</figcaption>`;
  return html`<figure class="wp-block-${blob.mediaType}${isImage && " size-full"}">${shown}${below}</figure>`
    .markup;
}
