import { blobIdInSgid } from "../../../media/attachment-element";
import { blobWithId, type StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { EMBED_MARK, type Embed, extractEmbeds } from "../../../posts/content/attachment-embeds";
import { insertBaseUrl } from "../../../posts/post/mf2-properties";
import type { Content } from "../../../posts/post/post";
import { altTextOf } from "../../../posts/post/post-images";
import { plainFigure, plainMedia } from "./standalone-html";

interface Written extends Pick<Content, "source" | "sourceType"> {
  blogId: number;
  /** filename → alt text */
  altText: Record<string, string>;
}

/** An attachment element in Markdown, where anything but a text may stand around it. */
const ELEMENT =
  /<action-text-attachment(?:\s(?:[^<>"']|"[^"]{0,20000}"|'[^']{0,20000}'){0,100})?\/?>(?:\s{0,9}<\/action-text-attachment>)?/g;

const PARAGRAPH_OR_MARK = new RegExp(`<(/?)p(?=[\\s>])|${EMBED_MARK}(\\d+)${EMBED_MARK}`, "gi");

/** Where the text is to find a file: percent-encoded. */
type AddressOf = (blob: StoredBlob) => string;

/**
 * What the post was written as, with links to its pictures and films: in Markdown as Markdown has them, in HTML as
 * figures.
 */
export function linkedContent(platen: Platen, post: Written, addressOf: AddressOf): string {
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
      // A figure would end the paragraph: what comes after it there would stand in none.
      const isWithin = isInParagraph && caption === "";
      return isWithin ? plainMedia(file, addressOf(blob)).markup : plainFigure(file, addressOf(blob));
    });
  }
  return source.replace(ELEMENT, (element) => {
    const [embed] = extractEmbeds(element).embeds;
    const blob = embed && fileOf(embed);
    return embed && blob ? markdownPicture(blob, embed.caption, post.altText, addressOf) : element;
  });
}

function markdownPicture(
  blob: StoredBlob,
  caption: string,
  altText: Record<string, string>,
  addressOf: AddressOf,
): string {
  const below = caption && ` "${plain(caption)}"`;
  return `![${plain(altTextOf(blob, altText))}](${bare(addressOf(blob))}${below})`;
}

/** Nothing in it means anything to Markdown, and it is one line. */
function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[\\`*_[\]<>()"&!]/g, "\\$&");
}

/** Brackets would end an address in Markdown. */
function bare(address: string): string {
  return address.replace(/[()']/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
