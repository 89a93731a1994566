import { mediaPath, posterPath } from "../../../media/files/media-urls";
import type { Platen } from "../../../platen";
import type { WholePost } from "../../../posts/post/post";
import { html } from "../../../text/html";
import { type Element, type Node, outerHtml, putInstead } from "../../import/content/html-content";
import { type ShownFile, shownDocument } from "../parts/standalone-html";
import { attachmentId } from "./wxr-elements";

/**
 * What a post shows, as blocks of WordPress's editor: paragraphs, headings, pictures and films as such, all else as the HTML
 * that it is. With blocks in it WordPress adds no paragraphs and line breaks of its own.
 */
export function postBlocks(platen: Platen, post: WholePost): string {
  const { document, files } = shownDocument(platen, post);
  const atTop = new Set<Node>(document.children);
  for (const [figure, file] of files) if (!atTop.has(figure)) putInstead(figure, fileFigure(platen, file));
  return document.children
    .map((node) => {
      const file = files.get(node as Element);
      return file ? fileBlock(platen, file) : blockOf(node);
    })
    .filter((block) => block !== "")
    .join("\n\n");
}

function blockOf(node: Node): string {
  const text = plain(outerHtml([node]));
  const { name = "", attribs = {} } = node as Element;
  const isPlain = Object.keys(attribs).length === 0;
  if (isPlain && name === "p") return block("paragraph", "", text);
  if (isPlain && /^h[1-6]$/.test(name)) {
    const heading = text.replace(/^<h\d/, '$& class="wp-block-heading"');
    return block("heading", ` {"level":${name.slice(1)}}`, heading);
  }
  return text.trim() === "" ? "" : block("html", "", text);
}

/** With nothing in it that WordPress takes for a shortcode or, in an attribute, for the bounds of a block. */
function plain(text: string): string {
  return text.replaceAll("<!--", "&lt;!--").replace(/\[(?=\/?[a-z])/gi, "&#91;");
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
