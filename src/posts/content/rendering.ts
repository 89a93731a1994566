import { invalid, Refusal } from "../../errors";
import type { StoredBlob } from "../../media/files/blobs";
import { mediaPath } from "../../media/files/media-urls";
import { cleanText } from "../../text/clean-text";
import { leftOutOf } from "../../text/html-sanitizer";
import { altTextOf } from "../post/post";
import { MAX_ATTACHMENTS } from "../post/post-limits";
import {
  attachmentFigure,
  type Embed,
  extractEmbeds,
  insertFigures,
  TOO_MANY_ATTACHMENTS,
} from "./attachment-figures";
import { markdownToHtml } from "./markdown";
import { assertHtmlSize, assertSourceSize } from "./output-limits";
import { plainText } from "./plain-text-and-excerpts";
import { sanitizePostHtml } from "./post-sanitizer";

/** Input of the renderer: plain data that can be copied to a worker. */
export interface ContentParts {
  source: string;
  sourceType: "html" | "markdown";
  /** filename → alt text, which may be empty */
  altText: Record<string, string>;
  /** The post's own photos and videos. They are shown before the content unless it embeds them. */
  ownMedia: { blob: StoredBlob; sgid: string }[];
  /** signed id → blob; null if the id is forged or belongs to another blog */
  blobs: Map<string, StoredBlob | null>;
}

export interface RenderedContent {
  /** Sanitized HTML. Replace its base URL marks with `insertBaseUrl` before sending it. */
  html: string;
  text: string;
  /** Embedded files without duplicates, in order of first appearance. Files of link cards and players come last. */
  blobs: StoredBlob[];
  warnings: string[];
}

/** Signed ids in the content that are missing in `ContentParts.blobs`. */
export interface UnknownFiles {
  unknown: string[];
}

/** Renders content when a post is saved, never when it is read. @throws Refusal (invalid, content) */
export function renderContent(parts: ContentParts): RenderedContent | UnknownFiles {
  try {
    const clean = cleanText(parts.source);
    assertSourceSize(clean);
    return rendered(
      parts.sourceType === "markdown" ? markdownToHtml(clean, { isPlain: false }) : clean,
      parts,
    );
  } catch (fault) {
    if (fault instanceof Refusal) throw fault;
    throw invalid({ content: ["cannot be read: it is nested too deeply"] });
  }
}

function rendered(
  unsafe: string,
  { source, altText, ownMedia, blobs: known }: ContentParts,
): RenderedContent | UnknownFiles {
  const { html: marked, embeds } = extractEmbeds(withoutControlReferences(unsafe));
  if (embeds.length + ownMedia.length > MAX_ATTACHMENTS) throw invalid({ content: [TOO_MANY_ATTACHMENTS] });
  const unknown = new Set(embeds.map(({ sgid }) => sgid).filter((sgid) => !known.has(sgid)));
  if (unknown.size > 0) return { unknown: [...unknown] };

  const blobs = new Map<number, StoredBlob>();
  const ofCards = new Map<number, StoredBlob>();
  const warnings = new Set<string>();
  const isOwn = (id: number) => ownMedia.some(({ blob }) => blob.id === id);
  const altFor = (blob: StoredBlob) => cleanText(altTextOf(blob, altText));
  const figureFor = (blob: StoredBlob, shown: Parameters<typeof attachmentFigure>[1]) =>
    attachmentFigure(blob, shown, altFor(blob), isOwn(blob.id));
  const figureOf = (number: number) => {
    const embed = embeds[number] as Embed;
    const { sgid, filename } = embed;
    const blob = known.get(sgid);
    if (!blob) {
      warnings.add(leftOut(filename));
      return null;
    }
    (embed.isOfCard ? ofCards : blobs).set(blob.id, blob);
    return figureFor(blob, embed);
  };
  const cleaned = sanitizePostHtml(marked);
  const content = insertFigures(cleaned.html, figureOf);
  const unembedded = ownMedia.filter(({ blob }) => !blobs.has(blob.id) && !ofCards.has(blob.id));
  const html =
    unembedded.map(({ blob, sgid }) => figureFor(blob, { sgid, caption: "", width: "", crop: "" })).join("") +
    content;
  const inOrder = [...unembedded.map(({ blob }) => blob), ...new Map([...blobs, ...ofCards]).values()];
  const written = [
    source,
    ...inOrder.map(altFor),
    ...ownMedia.map(({ blob, sgid }) => sgid + mediaPath(blob)),
  ];
  assertHtmlSize(
    html,
    written.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  );
  return {
    html,
    text: plainText(html),
    blobs: inOrder,
    warnings: [...warnings, ...leftOutOf("post", cleaned)],
  };
}

/** Removes character references such as `&#26;`, which become BASE_URL_MARK or EMBED_MARK. */
function withoutControlReferences(html: string): string {
  return html.replace(/&#(?:x([0-9a-f]+)|(\d+));?/gi, (reference, hex, decimal) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code < 0x20 && !/[\t\n\r]/.test(String.fromCharCode(code)) ? "\uFFFD" : reference;
  });
}

function leftOut(filename: string): string {
  const name = filename ? `The attachment "${filename}"` : "An attachment";
  return `${name} was left out: it is not a file of this blog. Upload it to this blog and insert the HTML that the upload returns.`;
}
