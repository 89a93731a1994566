import type sanitizeHtml from "sanitize-html";
import { invalid, Refusal } from "../../errors";
import type { StoredBlob } from "../../media/files/blobs";
import { cleanText } from "../../text/clean-text";
import { type Cleaned, cleanHtml, cleaningWarnings, type HtmlRules } from "../../text/html-sanitizer";
import { altTextOf } from "../post/post";
import {
  HTML_TOO_LARGE,
  MAX_ATTACHMENTS,
  MAX_FOOTNOTE_REFERENCES,
  MAX_HTML_BYTES,
  MAX_LINES,
  MAX_MARKUP_CHARACTERS,
  VIDEO_HOSTS,
} from "../post/post-limits";
import {
  attachmentFigure,
  type Embed,
  extractEmbeds,
  insertFigures,
  TOO_MANY_ATTACHMENTS,
} from "./attachment-figures";
import { markdownToHtml } from "./markdown";
import { plainText } from "./plain-text-and-excerpts";

/** Contains only data that can be copied to a worker. */
export interface ContentParts {
  source: string;
  sourceType: "html" | "markdown";
  altText: Record<string, string>;
  /**
   * Photos and videos in the post's properties. They are shown before the content unless the content embeds
   * them.
   */
  ownMedia: { blob: StoredBlob; sgid: string }[];
  /** signed id → blob. Ids without a file of this blog are missing. */
  blobs: Map<string, StoredBlob>;
}

export interface RenderedContent {
  /** Sanitized HTML. Replace its base URL marks with `insertBaseUrl` before sending it. */
  html: string;
  text: string;
  /**
   * Shown files without duplicates: own media that is not embedded, embedded files in order, files of cards and
   * players.
   */
  blobs: StoredBlob[];
  warnings: string[];
}

/** @throws Refusal (invalid) for `content` */
export function renderContent(parts: ContentParts): RenderedContent {
  try {
    const clean = cleanText(parts.source);
    assertSourceSize(clean);
    return rendered(
      parts.sourceType === "markdown" ? markdownToHtml(clean, { isPlain: false }) : clean,
      parts,
    );
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
  if (Buffer.byteLength(html) > MAX_HTML_BYTES) throw invalid({ content: [HTML_TOO_LARGE] });
  return {
    html,
    text: plainText(html),
    blobs: inOrder,
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

/**
 * The parsers need much memory for each line, markup character and footnote reference.
 * @throws Refusal (invalid) for `content`
 */
function assertSourceSize(source: string): void {
  const assertAtMost = (most: number, counted: RegExp, rule: string) => {
    if ((source.match(counted)?.length ?? 0) > most) throw invalid({ content: [rule] });
  };
  assertAtMost(MAX_LINES, /\n/g, `must have at most ${MAX_LINES} lines`);
  assertAtMost(
    MAX_MARKUP_CHARACTERS,
    /[*_[\]<&`~|\\!]/g,
    `must have at most ${MAX_MARKUP_CHARACTERS} characters of markup`,
  );
  assertAtMost(
    MAX_FOOTNOTE_REFERENCES,
    /\[\^/g,
    `must contain at most ${MAX_FOOTNOTE_REFERENCES} footnote references`,
  );
}

/** The sanitizer drops deeper tags and keeps their text. */
const MAX_DEPTH = 256;
/** Other ids could clash with ids of the page. */
const FOOTNOTE_ID = /^fn[\w:-]*$/;

const TEXT_TAGS = `a abbr b bdi bdo br cite code data del dfn em i ins kbd mark q rb rp rt rtc ruby s samp small span
  strong sub sup time u var wbr`;
const BLOCK_TAGS = `address article aside blockquote dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6
  header hr li ol p pre section summary ul`;
const TABLE_TAGS = "caption col colgroup table tbody td tfoot th thead tr";
const MEDIA_TAGS = "audio iframe img input source video";

const MEDIA_ATTRIBUTES = ["src", "controls", "loop", "muted", "preload"];
const CELL_ATTRIBUTES = ["colspan", "rowspan", "style"];
const ALIGNMENT = /(?:^|;)\s*text-align\s*:\s*(left|center|right)\s*(?:;|$)/i;

const RULES: HtmlRules = {
  allowedTags: `${TEXT_TAGS} ${BLOCK_TAGS} ${TABLE_TAGS} ${MEDIA_TAGS}`.split(/\s+/),
  allowedAttributes: {
    "*": ["dir", "lang", "title", "id"],
    a: ["href", "hreflang", "rel"],
    audio: MEDIA_ATTRIBUTES,
    blockquote: ["cite"],
    col: ["span"],
    colgroup: ["span"],
    data: ["value"],
    del: ["cite", "datetime"],
    details: ["open"],
    iframe: ["src", "width", "height", "allowfullscreen", "loading"],
    img: ["src", "srcset", "sizes", "alt", "width", "height", "loading", "decoding"],
    input: ["type", "checked", "disabled"],
    ins: ["cite", "datetime"],
    li: ["value"],
    ol: ["start", "reversed", "type"],
    q: ["cite"],
    source: ["src", "type"],
    td: CELL_ATTRIBUTES,
    th: [...CELL_ATTRIBUTES, "scope"],
    time: ["datetime"],
    video: [...MEDIA_ATTRIBUTES, "poster", "playsinline", "width", "height"],
  },
  allowedClasses: {
    "*": [
      /^(?:h|p|u|e|dt)-[a-z0-9-]+$/,
      /^footnote(?:s|-ref|-backref)?$/,
      /^(?:contains-)?task-list(?:-item)?$/,
    ],
    aside: ["callout"],
    code: [/^language-[\w+#.-]+$/],
    div: ["bookmark"],
    figure: ["player"],
    pre: [/^language-[\w+#.-]+$/],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  allowedSchemesByTag: {
    audio: ["http", "https"],
    iframe: ["https"],
    img: ["http", "https"],
    source: ["http", "https"],
    video: ["http", "https"],
  },
  allowedIframeHostnames: VIDEO_HOSTS,
  allowIframeRelativeUrls: false,
  nestingLimit: MAX_DEPTH,
  transformTags: {
    td: alignByStyle,
    th: alignByStyle,
    input: (tagName, attribs) => ({ tagName, attribs: { ...attribs, disabled: "" } }),
    "*": (tagName, attribs) => {
      if (attribs.id !== undefined && !FOOTNOTE_ID.test(attribs.id)) delete attribs.id;
      return { tagName, attribs };
    },
  },
  exclusiveFilter: isUseless,
};

export const POST_ELEMENTS: ReadonlySet<string> = new Set(RULES.allowedTags);

export function sanitizePostHtml(unsafe: string): Cleaned {
  return cleanHtml(unsafe, RULES);
}

function isUseless({ tag, attribs }: sanitizeHtml.IFrame): boolean {
  return (
    (tag === "img" && !attribs.src) ||
    (tag === "iframe" && !attribs.src?.startsWith("https:")) ||
    (tag === "input" && attribs.type?.toLowerCase() !== "checkbox")
  );
}

function alignByStyle(
  tagName: string,
  { align, style, ...attribs }: sanitizeHtml.Attributes,
): sanitizeHtml.Tag {
  const [, side] = ALIGNMENT.exec(`${style ?? ""};text-align:${align ?? ""}`) ?? [];
  if (side) attribs.style = `text-align:${side.toLowerCase()}`;
  return { tagName, attribs };
}
