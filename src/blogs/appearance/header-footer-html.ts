import type { Platen } from "../../platen";
import { cleanHtml, cleaningWarnings, type HtmlRules } from "../../text/html-sanitizer";

const rulesAt = (base: string): HtmlRules => ({
  allowedTags: "a abbr b bdi br code em i img li nav p s small span strong sub sup u ul".split(" "),
  allowedAttributes: {
    "*": ["dir", "lang", "title"],
    a: ["href", "hreflang", "rel"],
    img: ["src", "alt", "width", "height"],
    nav: ["aria-label"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  // Images must be uploads, so that readers' browsers contact no other server.
  exclusiveFilter: ({ tag, attribs }) => tag === "img" && !attribs.src?.startsWith("/media/"),
  transformTags: {
    // Stores upload URLs without the base URL, which may change.
    img: (tagName, { src = "", alt = "", ...attribs }) => {
      const path = src.startsWith(`${base}/`) ? src.slice(base.length) : src;
      return { tagName, attribs: { ...attribs, src: path, alt } };
    },
  },
  nestingLimit: 20,
});

export interface CleanHtml {
  html: string;
  warnings: string[];
}

/** Also closes open elements, so that they do not contain the rest of the page. */
export function cleanOwnerHtml(platen: Platen, place: "header" | "footer", source: string): CleanHtml {
  const { html, ...removed } = cleanHtml(source, rulesAt(platen.config.url));
  const pictures = removed.dropped.has("img") ? ["Pictures must be uploads of this Platen: /media/…"] : [];
  return { html: html.trim(), warnings: [...cleaningWarnings(place, removed), ...pictures] };
}
