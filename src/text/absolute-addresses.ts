/** The HTML must be sanitized: `<` only in tags, and attribute values in double quotes. */
export function withAbsoluteAddresses(html: string, base: string): string {
  const absolute = (address: string) =>
    hasScheme(address) ? address : (URL.parse(address, base)?.href ?? address);
  return html.replace(/<[a-z][^\s>]*\s[^>]+>/g, (tag) =>
    tag
      .replace(
        /(\s(?:href|src|poster|cite)=")([^"]*)"/g,
        (_, start, address) => `${start}${absolute(address)}"`,
      )
      .replace(
        /(\ssrcset=")([^"]*)"/g,
        (_, start, candidates) => `${start}${eachCandidate(candidates, absolute)}"`,
      ),
  );
}

/** A comma ends a candidate of a srcset only before white space, because URLs may contain commas. */
function eachCandidate(candidates: string, change: (address: string) => string): string {
  return candidates.replace(/(^|,\s+)([^\s,]\S*)/g, (_, before, address) => before + change(address));
}

function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(address);
}
