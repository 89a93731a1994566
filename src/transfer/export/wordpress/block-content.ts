import { mediaPath, posterPath } from "../../../media/files/media-urls";
import type { Platen } from "../../../platen";
import type { WholePost } from "../../../posts/post/post";
import { html } from "../../../text/html";
import {
  type HtmlElement,
  type HtmlNode,
  replaceWithHtml,
  serializeHtml,
} from "../../import/content/html-content";
import { type FigureFile, parseRenderedPost } from "../parts/standalone-html";
import { wxrAttachmentId } from "./wxr-elements";

/** Converts a rendered post to WordPress blocks. Anything unknown becomes an HTML block. */
export function toBlockContent(platen: Platen, post: WholePost): string {
  const { document, files } = parseRenderedPost(platen, post);
  const atTop = new Set<HtmlNode>(document.children);
  for (const [figure, file] of files)
    if (!atTop.has(figure)) replaceWithHtml(figure, fileFigure(platen, file));
  return document.children
    .map((node) => {
      const file = files.get(node as HtmlElement);
      return file ? fileBlock(platen, file) : blockOf(node);
    })
    .filter((block) => block !== "")
    .join("\n\n");
}

function blockOf(node: HtmlNode): string {
  const text = plain(serializeHtml([node]));
  const { name = "", attribs = {} } = node as HtmlElement;
  const isPlain = Object.keys(attribs).length === 0;
  if (isPlain && name === "p") return block("paragraph", "", text);
  if (isPlain && /^h[1-6]$/.test(name)) {
    const heading = text.replace(/^<h\d/, '$& class="wp-block-heading"');
    return block("heading", ` {"level":${name.slice(1)}}`, heading);
  }
  return text.trim() === "" ? "" : block("html", "", text);
}

/** Escapes text that looks like a shortcode or a block delimiter. */
function plain(text: string): string {
  return text.replaceAll("<!--", "&lt;!--").replace(/\[(?=\/?[a-z])/gi, "&#91;");
}

function fileBlock(platen: Platen, file: FigureFile): string {
  const { mediaType } = file.blob;
  const size = mediaType === "image" ? ',"sizeSlug":"full"' : "";
  return block(mediaType, ` {"id":${wxrAttachmentId(file.blob)}${size}}`, fileFigure(platen, file));
}

function block(name: string, settings: string, text: string): string {
  return `<!-- wp:${name}${settings} -->\n${text}\n<!-- /wp:${name} -->`;
}

/** Writes the exact markup of the WordPress editor, which reports any other markup as invalid. */
function fileFigure({ config }: Platen, { blob, caption, alt }: FigureFile): string {
  const address = config.url + mediaPath(blob);
  const poster = posterPath(blob);
  const isImage = blob.mediaType === "image";
  const shown = isImage
    ? html`<img src="${address}" alt="${alt}" class="wp-image-${wxrAttachmentId(blob)}"/>`
    : html`<video controls${poster && html` poster="${config.url + poster}"`} src="${address}"></video>`;
  const below = caption && html`<figcaption class="wp-element-caption">${caption}</figcaption>`;
  return html`<figure class="wp-block-${blob.mediaType}${isImage && " size-full"}">${shown}${below}</figure>`
    .markup;
}
