import { readStartTags } from "../text/start-tags";
import { parseWebUrl } from "../text/web-urls";

/**
 * The Link header counts before the first link in the document (W3C Webmention 3.1.2).
 * @param linkHeader several headers are joined by commas
 * @param base final URL of the page, after redirects
 */
export function findEndpoint(linkHeader: string | null, html: string, base: string): string | null {
  return endpointInHeader(linkHeader ?? "", base) ?? endpointInHtml(html, base);
}

function endpointInHeader(header: string, base: string): string | null {
  for (const link of header.split("<").slice(1)) {
    const end = link.indexOf(">");
    const rel = /;\s{0,9}rel\s{0,9}=\s{0,9}(?:"([^"]{0,200})"|([^\s;,"]{1,200}))/i.exec(link.slice(end + 1));
    if (end >= 0 && isWebmention(rel?.[1] ?? rel?.[2])) return resolveEndpoint(link.slice(0, end), base);
  }
  return null;
}

function endpointInHtml(html: string, base: string): string | null {
  let endpoint: string | null = null;
  let documentBase = base;
  readStartTags(html, (name, { href, rel }, parser) => {
    if (href === undefined) return;
    if (name === "base") documentBase = URL.parse(href, base)?.href ?? base;
    else if ((name === "link" || name === "a") && isWebmention(rel)) {
      endpoint = resolveEndpoint(href, documentBase);
      parser.pause();
    }
  });
  return endpoint;
}

/** `rel` is a list of words, so "not-webmention" does not match. */
function isWebmention(rel: string | undefined): boolean {
  return (rel ?? "").toLowerCase().split(/\s+/).includes("webmention");
}

/** An empty address is the page itself. */
function resolveEndpoint(address: string, base: string): string | null {
  return parseWebUrl(address, { base })?.href ?? null;
}
