import type sanitizeHtml from "sanitize-html";
import { type Cleaned, cleanHtml, type HtmlRules } from "../../text/html-sanitizer";
import { VIDEO_HOSTS } from "../post/post";

const MAX_DEPTH = 256;

/** Only footnotes keep their ids. Another id could be one that the page itself uses. */
const FOOTNOTE_ID = /^fn[\w:-]*$/;

const TEXT_TAGS = `a abbr b bdi bdo br cite code data del dfn em i ins kbd mark q rb rp rt rtc ruby s samp small span
  strong sub sup time u var wbr`;
const BLOCK_TAGS = `address article aside blockquote dd details div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6
  header hr li ol p pre section summary ul`;
const TABLE_TAGS = "caption col colgroup table tbody td tfoot th thead tr";
const MEDIA_TAGS = "audio iframe img input source video";

const WEB = ["http", "https"];
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
  allowedSchemesByTag: { audio: WEB, iframe: ["https"], img: WEB, source: WEB, video: WEB },
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

function alignByStyle(tagName: string, { align, style, ...attribs }: sanitizeHtml.Attributes) {
  const [, side] = ALIGNMENT.exec(`${style ?? ""};text-align:${align ?? ""}`) ?? [];
  if (side) attribs.style = `text-align:${side.toLowerCase()}`;
  return { tagName, attribs };
}
