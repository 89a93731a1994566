import sanitizeHtml from "sanitize-html";

/** What the header and footer of every page may hold: words, links, small lists and pictures; no block that takes room. */
const ALLOWED: sanitizeHtml.IOptions = {
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
  nonTextTags: `button math noscript object option script select style svg template textarea title xmp`.split(
    " ",
  ),
  nestingLimit: 20,
};

export interface CleanHtml {
  html: string;
  /** Which elements are not in it any more, in a sentence. */
  warnings: string[];
}

/** The owner's header or footer as it may stand on every page: safe, and every element closed. */
export function cleanOwnerHtml(place: "header" | "footer", source: string): CleanHtml {
  const came = new Map<string, number>();
  const html = sanitizeHtml(source, { ...ALLOWED, onOpenTag: (name) => count(came, name) }).trim();
  const stayed = new Map<string, number>();
  sanitizeHtml(html, { ...ALLOWED, onOpenTag: (name) => count(stayed, name) });
  const gone = [...came]
    .map(([name, times]) => [name, times - (stayed.get(name) ?? 0)] as const)
    .filter(([, times]) => times > 0)
    .map(([name, times]) => `<${name}>${times > 1 ? ` (${times} times)` : ""}`);
  return { html, warnings: gone.length > 0 ? [`Left out of the ${place}: ${gone.join(", ")}.`] : [] };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
