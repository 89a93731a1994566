import { invalid, Refusal } from "../../errors";
import type { StoredBlob } from "../../media/files/blobs";
import { cleanText } from "../../text/clean-text";
import { cleaningWarnings } from "../../text/html-sanitizer";
import { altTextOf, HTML_TOO_LARGE, MAX_ATTACHMENTS, MAX_HTML_BYTES } from "../post/post";
import { sanitizePostHtml } from "./allowed-html";
import type { Embed } from "./attachment-figures";
import { attachmentFigure, extractEmbeds, insertFigures, TOO_MANY_ATTACHMENTS } from "./attachment-figures";
import { markdownToHtml } from "./markdown";
import { plainText } from "./plain-text-and-excerpts";

/** Rendering Markdown needs up to 4 KB of memory per line of a paragraph. */
const MAX_LINES = 20_000;
const MAX_FOOTNOTE_REFERENCES = 5000;
const MAX_MARKUP_CHARACTERS = 200_000;

/** Sent to a worker, so all values must be structured-cloneable. */
export interface ContentParts {
  source: string;
  sourceType: "html" | "markdown";
  altText: Record<string, string>;
  ownMedia: { blob: StoredBlob; sgid: string }[];
  /** signed id → blob. Ids without a file of this blog are missing. */
  blobs: Map<string, StoredBlob>;
}

export interface RenderedContent {
  /** Contains base URL marks. Call `insertBaseUrl` before sending the HTML. */
  html: string;
  text: string;
  /** Pictures of link cards and players come last, because the first picture is the default preview image. */
  blobs: StoredBlob[];
  warnings: string[];
}

/** @throws Refusal (invalid) for `content` */
export function renderContent(parts: ContentParts): RenderedContent {
  try {
    const clean = cleanText(parts.source);
    assertSourceSize(clean);
    const isMarkdown = parts.sourceType === "markdown";
    return rendered(isMarkdown ? markdownToHtml(clean, { isPlain: false }) : clean, parts);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw invalid({ content: ["cannot be read: it is nested too deeply"] });
  }
}

function rendered(unsafe: string, { altText, ownMedia, blobs: known }: ContentParts): RenderedContent {
  const { html: marked, embeds } = extractEmbeds(withoutControlReferences(unsafe));
  if (embeds.length + ownMedia.length > MAX_ATTACHMENTS) throw invalid({ content: [TOO_MANY_ATTACHMENTS] });
  const blobs = new Map<number, StoredBlob>();
  const ofCards = new Map<number, StoredBlob>();
  const warnings = new Set<string>();
  const isOwn = (id: number) => ownMedia.some(({ blob }) => blob.id === id);
  const figureFor = (blob: StoredBlob, shown: Parameters<typeof attachmentFigure>[1]) =>
    attachmentFigure(blob, shown, cleanText(altTextOf(blob, altText)), isOwn(blob.id));
  const figureOf = (number: number) => {
    const embed = embeds[number] as Embed;
    const blob = known.get(embed.sgid);
    if (!blob) {
      warnings.add(leftOut(embed.filename));
      return null;
    }
    (embed.isOfCard ? ofCards : blobs).set(blob.id, blob);
    return figureFor(blob, embed);
  };
  const cleaned = sanitizePostHtml(marked);
  const content = insertFigures(cleaned.html, figureOf);
  const unembedded = ownMedia.filter(({ blob }) => !blobs.has(blob.id) && !ofCards.has(blob.id));
  const plain = { caption: "", width: "", crop: "" };
  const html = unembedded.map(({ blob, sgid }) => figureFor(blob, { sgid, ...plain })).join("") + content;
  if (Buffer.byteLength(html) > MAX_HTML_BYTES) throw invalid({ content: [HTML_TOO_LARGE] });
  return {
    html,
    text: plainText(html),
    blobs: [...unembedded.map(({ blob }) => blob), ...new Map([...blobs, ...ofCards]).values()],
    warnings: [...warnings, ...cleaningWarnings("post", cleaned)],
  };
}

/** Replaces character references such as `&#26;`, which would become BASE_URL_MARK or EMBED_MARK. */
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

/** Parsing needs much memory for each line, markup character and footnote reference. */
function assertSourceSize(source: string): void {
  const assertAtMost = (most: number, counted: RegExp, verb: string, things: string) => {
    const isAbove = (source.match(counted)?.length ?? 0) > most;
    if (isAbove) throw invalid({ content: [`must ${verb} at most ${most} ${things}`] });
  };
  assertAtMost(MAX_LINES, /\n/g, "have", "lines");
  assertAtMost(MAX_MARKUP_CHARACTERS, /[*_[\]<&`~|\\!]/g, "have", "characters of markup");
  assertAtMost(MAX_FOOTNOTE_REFERENCES, /\[\^/g, "contain", "footnote references");
}
