import { cleanText } from "../../clean-text";
import { invalid, Refusal } from "../../errors";
import { elementsLeftOut } from "../../html-cleaning";
import type { StoredBlob } from "../../media/files/blobs";
import { altOf } from "../post/alt-text";
import { type Embed, extractEmbeds } from "./attachment-embeds";
import { figure, insertFigures } from "./attachment-figures";
import { highlighted } from "./highlighting";
import { markdownToHtml } from "./markdown";
import { plainText } from "./plain-text";
import { sanitised } from "./sanitising";

export interface ContentContext {
  /** null where the signed id is forged, or of another blog. */
  blobOf(sgid: string): StoredBlob | null;
  /** filename → alt text; an empty string is an entry. */
  altText: Record<string, string>;
  /** The post's own photos and videos: they stand before the content, unless it embeds them itself. */
  ownMedia?: { blob: StoredBlob; sgid: string }[];
}

export interface RenderedContent {
  /** Safe to send once `withBase` has put the base address in. */
  html: string;
  text: string;
  /** Each once, in order of first appearance. */
  blobs: StoredBlob[];
  /** What was left out and what to do about it, in sentences. */
  warnings: string[];
}

/**
 * All that is ever made of a post's source; nothing is rendered on read.
 * @throws Refusal (invalid, content) for what cannot be rendered in reasonable time
 */
export function renderContent(
  source: string,
  sourceType: "html" | "markdown",
  context: ContentContext,
): RenderedContent {
  try {
    const clean = cleanText(source);
    return rendered(
      sourceType === "markdown" ? markdownToHtml(clean, { hasFootnotes: true }) : clean,
      context,
    );
  } catch (fault) {
    if (fault instanceof Refusal) throw fault;
    throw invalid({ content: ["cannot be read: it is nested too deep or too tangled"] });
  }
}

function rendered(unsafe: string, { blobOf, altText, ownMedia = [] }: ContentContext): RenderedContent {
  const blobs = new Map<number, StoredBlob>();
  const warnings = new Set<string>();
  const { html: marked, embeds } = extractEmbeds(withoutControlReferences(unsafe));
  const isOwn = (id: number) => ownMedia.some(({ blob }) => blob.id === id);
  const figureFor = (blob: StoredBlob, sgid: string, caption: string) =>
    figure(blob, sgid, caption, cleanText(altOf(blob, altText)), isOwn(blob.id));
  const figureOf = (number: number) => {
    const { sgid, filename, caption } = embeds[number] as Embed;
    const blob = blobOf(sgid);
    if (!blob) {
      warnings.add(leftOut(filename));
      return null;
    }
    blobs.set(blob.id, blob);
    return figureFor(blob, sgid, caption);
  };
  const { html: safe, dropped } = sanitised(marked);
  const content = insertFigures(safe, figureOf);
  const unembedded = ownMedia.filter(({ blob }) => !blobs.has(blob.id));
  const html = unembedded.map(({ blob, sgid }) => figureFor(blob, sgid, "")).join("") + content;
  const inOrder = [...unembedded.map(({ blob }) => blob), ...blobs.values()];
  return {
    html: highlighted(html),
    text: plainText(html),
    blobs: inOrder,
    warnings: [...warnings, ...elementsLeftOut("post", dropped)],
  };
}

/** `&#26;` would become the character of BASE and EMBED_MARK. */
function withoutControlReferences(html: string): string {
  return html.replace(/&#(?:x([0-9a-f]+)|(\d+));?/gi, (reference, hex, decimal) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code < 0x20 && !/[\t\n\r]/.test(String.fromCharCode(code)) ? "\uFFFD" : reference;
  });
}

function leftOut(filename: string): string {
  const name = filename ? `The attachment "${filename}"` : "An attachment";
  return `${name} was left out: it is not a file of this blog. Upload it to this blog and put in the HTML that the upload returns.`;
}
