import type { Platen } from "../../platen";
import { cleanHtml, type HtmlRules, leftOutOf } from "../../text/html-sanitizer";

/** What the header and footer of every page may hold: words, links, small lists and pictures; no block that takes room. */
const rulesAt = (base: string): HtmlRules => ({
  allowedTags: "a abbr b bdi br code em i img li nav p s small span strong sub sup u ul".split(" "),
  allowedAttributes: {
    "*": ["dir", "lang", "title"],
    a: ["href", "hreflang", "rel"],
    img: ["src", "alt", "width", "height"],
    nav: ["aria-label"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  // Pictures are uploads of this instance, so that readers' browsers ask no other server.
  exclusiveFilter: ({ tag, attribs }) => tag === "img" && !attribs.src?.startsWith("/media/"),
  transformTags: {
    // As uploads are given to clients, with the base address, which may change.
    img: (tagName, { src = "", alt = "", ...attribs }) => {
      const path = src.startsWith(`${base}/`) ? src.slice(base.length) : src;
      return { tagName, attribs: { ...attribs, src: path, alt } };
    },
  },
  nestingLimit: 20,
});

export interface CleanHtml {
  html: string;
  /** What is not in it any more, in sentences. */
  warnings: string[];
}

/** The owner's header or footer as it may stand on every page: safe, and every element closed. */
export function cleanOwnerHtml(platen: Platen, place: "header" | "footer", source: string): CleanHtml {
  const { html, ...gone } = cleanHtml(source, rulesAt(platen.config.url));
  const pictures = gone.dropped.has("img") ? ["Pictures must be uploads of this Platen: /media/…"] : [];
  return { html: html.trim(), warnings: [...leftOutOf(place, gone), ...pictures] };
}
