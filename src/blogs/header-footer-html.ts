import sanitizeHtml from "sanitize-html";

/** A few words, links and small pictures above and below every page; everything that would need room is left out. */
const ALLOWED: sanitizeHtml.IOptions = {
  allowedTags: "a abbr b bdi br code em i img li nav p s small span strong sub sup u ul".split(" "),
  allowedAttributes: {
    "*": ["dir", "lang", "title"],
    a: ["href", "hreflang", "rel"],
    img: ["src", "alt", "width", "height"],
    nav: ["aria-label"],
  },
  allowedSchemes: ["http", "https", "mailto", "tel"],
  // Readers' browsers ask nobody else: pictures are the blog's own uploads.
  exclusiveFilter: ({ tag, attribs }) => tag === "img" && !attribs.src?.startsWith("/media/"),
  transformTags: {
    img: (tagName, attribs) => ({ tagName, attribs: { ...attribs, alt: attribs.alt ?? "" } }),
  },
  nonTextTags: `button math noscript object option script select style svg template textarea title xmp`.split(
    " ",
  ),
  nestingLimit: 20,
};

/** The owner's header or footer text as it may stand on every page; balanced, whatever came. */
export function cleanOwnerHtml(html: string): string {
  return sanitizeHtml(html, ALLOWED).trim();
}
