import { html } from "../../../html";
import { blobIdInSgid } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { EMBED_MARK, type Embed, extractEmbeds } from "../../../posts/content/attachment-embeds";
import { altOf } from "../../../posts/post/alt-text";
import type { Content } from "../../../posts/post/post";
import { withBase } from "../../../posts/post/stored-addresses";

interface Written extends Pick<Content, "source" | "sourceType"> {
  blogId: number;
  /** filename → alt text */
  altText: Record<string, string>;
}

/** An attachment element in Markdown, where anything but a text may stand around it. */
const ELEMENT =
  /<action-text-attachment(?:\s(?:[^<>"']|"[^"]{0,20000}"|'[^']{0,20000}'){0,100})?\/?>(?:\s{0,9}<\/action-text-attachment>)?/g;

/**
 * What the post was written as, with its pictures and films as links to files beside: in Markdown as Markdown has them,
 * in HTML as figures.
 * @param folder where the files are, from where the text is: "../media/"
 */
export function linkedContent(platen: Platen, post: Written, folder: string): string {
  const source = withBase(post.source, platen.config.url);
  if (!/<action-text-attachment|data-sgid|data-trix/.test(source)) return source;
  const fileOf = ({ sgid }: Pick<Embed, "sgid">) => {
    const id = blobIdInSgid(platen, post.blogId, sgid);
    return id === null ? undefined : blobWithId(platen, id);
  };
  if (post.sourceType === "html") {
    const { html: marked, embeds } = extractEmbeds(source);
    return marked.replace(new RegExp(`${EMBED_MARK}(\\d+)${EMBED_MARK}`, "g"), (_, number) => {
      const embed = embeds[Number(number)] as Embed;
      const blob = fileOf(embed);
      return blob ? figure(blob, embed.caption, post.altText, folder) : "";
    });
  }
  return source.replace(ELEMENT, (element) => {
    const [embed] = extractEmbeds(element).embeds;
    const blob = embed && fileOf(embed);
    return embed && blob ? markdownPicture(blob, embed.caption, post.altText, folder) : element;
  });
}

function figure(blob: StoredBlob, caption: string, altText: Record<string, string>, folder: string): string {
  const [address, alt] = [linkTo(blob, folder), altOf(blob, altText)];
  const size = blob.width && blob.height && html` width="${blob.width}" height="${blob.height}"`;
  const shown =
    blob.mediaType === "video"
      ? html`<video controls src="${address}"${size}${alt && html` aria-label="${alt}"`}></video>`
      : html`<img src="${address}" alt="${alt}"${size}>`;
  return html`<figure>${shown}${caption && html`<figcaption>${caption}</figcaption>`}</figure>`.markup;
}

function markdownPicture(
  blob: StoredBlob,
  caption: string,
  altText: Record<string, string>,
  folder: string,
): string {
  const below = caption && ` "${plain(caption)}"`;
  return `![${plain(altOf(blob, altText))}](${linkTo(blob, folder)}${below})`;
}

/** Nothing in it means anything to Markdown, and it is one line. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>()"&!]/g, "\\$&");
}

/** Brackets would end an address in Markdown. */
function linkTo({ filename }: StoredBlob, folder: string): string {
  return (
    folder + encodeURIComponent(filename).replace(/[()']/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  );
}
