import { DomUtils } from "htmlparser2";
import { blobIdInSgid } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { EMBED_MARK, type Embed, extractEmbeds } from "../../../posts/content/attachment-figures";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import { altTextOf, type Content, type WholePost } from "../../../posts/post/post";
import { type Html, html } from "../../../text/html";
import {
  findElements,
  type HtmlDocument,
  type HtmlElement,
  parseHtml,
  replaceWithHtml,
  serializeHtml,
} from "../../import/content/html-content";

interface LinkedSource extends Pick<Content, "source" | "sourceType"> {
  blogId: number;
  /** Alt text by filename. */
  altText: Record<string, string>;
}

const ELEMENT =
  /<action-text-attachment(?:\s(?:[^<>"']|"[^"]{0,20000}"|'[^']{0,20000}'){0,100})?\/?>(?:\s{0,9}<\/action-text-attachment>)?/g;

const PARAGRAPH_OR_MARK = new RegExp(`<(/?)p(?=[\\s>])|${EMBED_MARK}(\\d+)${EMBED_MARK}`, "gi");

type AddressOf = (blob: StoredBlob) => string;

/** The post's source with plain links to its media: Markdown images, or figures in HTML. */
export function linkMedia(platen: Platen, post: LinkedSource, addressOf: AddressOf): string {
  const source = insertBaseUrl(post.source, platen.config.url);
  if (!/<action-text-attachment|data-sgid|data-trix/.test(source)) return source;
  const fileOf = ({ sgid }: Pick<Embed, "sgid">) => {
    const id = blobIdInSgid(platen, post.blogId, sgid);
    return id === null ? undefined : blobWithId(platen, id);
  };
  if (post.sourceType === "html") {
    const { html: marked, embeds } = extractEmbeds(source);
    let isInParagraph = false;
    return marked.replace(PARAGRAPH_OR_MARK, (whole, slash: string | undefined, number) => {
      if (slash !== undefined) isInParagraph = slash === "";
      if (number === undefined) return whole;
      const { sgid, caption } = embeds[Number(number)] as Embed;
      const blob = fileOf({ sgid });
      if (!blob) return "";
      const file = { blob, caption, alt: altTextOf(blob, post.altText) };
      // Inside a paragraph, a <figure> would close the paragraph.
      const isWithin = isInParagraph && caption === "";
      return isWithin ? mediaHtml(file, addressOf(blob)).markup : figureHtml(file, addressOf(blob));
    });
  }
  return source.replace(ELEMENT, (element) => {
    const [embed] = extractEmbeds(element).embeds;
    const blob = embed && fileOf(embed);
    return embed && blob ? markdownImage(blob, embed.caption, post.altText, addressOf) : element;
  });
}

function markdownImage(
  blob: StoredBlob,
  caption: string,
  altText: Record<string, string>,
  addressOf: AddressOf,
): string {
  const title = caption && ` "${escapeMarkdown(caption)}"`;
  return `![${escapeMarkdown(altTextOf(blob, altText))}](${escapeParentheses(addressOf(blob))}${title})`;
}

/** Escapes everything that Markdown would interpret. */
function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>()"&!]/g, "\\$&");
}

/** Parentheses would end the URL in Markdown. */
function escapeParentheses(address: string): string {
  return address.replace(/[()']/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}

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

function figureHtml(file: FigureFile, address: string): string {
  const { caption } = file;
  return html`<figure>${mediaHtml(file, address)}${caption && html`<figcaption>${caption}</figcaption>`}</figure>`
    .markup;
}

function mediaHtml({ blob, alt }: Omit<FigureFile, "caption">, address: string): Html {
  const size = blob.width && blob.height && html` width="${blob.width}" height="${blob.height}"`;
  return blob.mediaType === "video"
    ? html`<video controls src="${address}"${size}${alt && html` aria-label="${alt}"`}></video>`
    : html`<img src="${address}" alt="${alt}"${size}>`;
}
