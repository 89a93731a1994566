import { linkBetween, type SiteFiles } from "./exported-paths";

const CARD = /^\/assets\/card\//;
/** Links that need a server. */
const ENDPOINTS = ["micropub", "indieauth-metadata", "authorization_endpoint", "token_endpoint"];
const LINKS: [selector: string, attribute: string][] = [
  ["a[href]", "href"],
  ["link[href]", "href"],
  ["img[src]", "src"],
  ["video[src]", "src"],
  ["video[poster]", "poster"],
  ["source[src]", "src"],
  // Read by parsers of microformats.
  ['data[class^="u-"]', "value"],
];

/**
 * Rewrites a page for a static site: relative links, nothing that needs a server.
 * @param found called for each URL of the site that the page needs
 * @param withCards whether title cards are exported
 */
export function staticPage(
  html: string,
  url: URL,
  file: string,
  files: SiteFiles,
  found: (url: URL) => void,
  withCards: boolean,
): string {
  const rewriter = new HTMLRewriter();
  for (const rel of ENDPOINTS) rewriter.on(`link[rel="${rel}"]`, { element: (link) => void link.remove() });
  const relative = (address: string): string | null => {
    const target = URL.parse(plain(address), url);
    const to = target && files.fileFor(target);
    if (!target || to === null) return target && /^\//.test(address) ? target.href : null;
    found(target);
    const komment = target.searchParams.get("komment");
    return linkBetween(file, to) + (komment === null ? target.hash : `#komment-${komment}`);
  };
  for (const [selector, attribute] of LINKS)
    rewriter.on(selector, {
      element(element) {
        const address = element.getAttribute(attribute) ?? "";
        // Links within the page stay valid.
        if (address.startsWith("#") || element.getAttribute("rel") === "canonical") return;
        const target = URL.parse(plain(address), url);
        if (element.tagName === "a" && target && files.isLiving(target)) return void element.remove();
        const link = relative(address);
        if (link !== null) element.setAttribute(attribute, escaped(link));
      },
    });
  rewriter.on("[srcset]", {
    element(element) {
      const sizes = plain(element.getAttribute("srcset") ?? "").split(/,\s+/);
      const links = sizes.map((size) => {
        const [address = "", width] = size.trim().split(/\s+/);
        return [relative(address) ?? address, width].filter(Boolean).join(" ");
      });
      element.setAttribute("srcset", escaped(links.join(", ")));
    },
  });
  let isLeftOut = false;
  rewriter.on('meta[property^="og:image"]', {
    element(element) {
      if (element.getAttribute("property") === "og:image") {
        const target = URL.parse(plain(element.getAttribute("content") ?? ""));
        isLeftOut = !withCards && target !== null && CARD.test(target.pathname);
        if (!isLeftOut && target && files.fileFor(target) !== null) found(target);
      }
      if (isLeftOut) element.remove();
    },
  });
  rewriter.on('meta[name="twitter:card"]', {
    element: (element) => void (isLeftOut && element.setAttribute("content", "summary")),
  });
  return rewriter.transform(html);
}

/** HTMLRewriter does not decode attributes. */
function plain(attribute: string): string {
  const ends: Record<string, string> = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#x27;": "'",
    "&#39;": "'",
  };
  return attribute.replace(/&(?:lt|gt|quot|#x27|#39);/g, (one) => ends[one] ?? one).replaceAll("&amp;", "&");
}

/** HTMLRewriter escapes quotes itself. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;");
}
