import { cleanHtml, elementsLeftOut, type HtmlRules } from "../html-cleaning";

/** What the header and footer of every page may hold: words, links, small lists and pictures; no block that takes room. */
const RULES: HtmlRules = {
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
    img: (tagName, attribs) => ({ tagName, attribs: { ...attribs, alt: attribs.alt ?? "" } }),
  },
  nestingLimit: 20,
};

export interface CleanHtml {
  html: string;
  /** Which elements are not in it any more, in a sentence. */
  warnings: string[];
}

/** The owner's header or footer as it may stand on every page: safe, and every element closed. */
export function cleanOwnerHtml(place: "header" | "footer", source: string): CleanHtml {
  const { html, dropped } = cleanHtml(source, RULES);
  return { html: html.trim(), warnings: elementsLeftOut(place, dropped) };
}
