/** A parser normalizes the host, which takes quadratic time for combining characters. */
const MAX_URL_LENGTH = 4000;

export function parseWebUrl(text: string, { base, most = MAX_URL_LENGTH }: Limits = {}): URL | null {
  const url = text.length <= most ? URL.parse(text, base) : null;
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

type Limits = { base?: string; most?: number };

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The HTML must be sanitized: `<` only in tags, and attribute values in double quotes. */
export function withAbsoluteAddresses(html: string, base: string): string {
  const absolute = (address: string) =>
    SCHEME.test(address) ? address : (URL.parse(address, base)?.href ?? address);
  return html.replace(/<[a-z][^\s>]*\s[^>]+>/g, (tag) =>
    tag.replace(/(\s(href|src|poster|cite|srcset)=")([^"]*)"/g, (_, start, name, value) =>
      name === "srcset" ? `${start}${eachCandidate(value, absolute)}"` : `${start}${absolute(value)}"`,
    ),
  );
}

/** A comma ends a candidate of a srcset only before white space, because URLs may contain commas. */
function eachCandidate(candidates: string, change: (address: string) => string): string {
  return candidates.replace(/(^|,\s+)([^\s,]\S*)/g, (_, before, address) => before + change(address));
}
