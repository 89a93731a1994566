/** Needs sanitized HTML: `<` only in tags, attribute values in double quotes. URLs stay escaped. */
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

/**
 * @param candidates a srcset. A comma ends a candidate only before white space, because URLs may contain
 * commas.
 */
function eachCandidate(candidates: string, change: (address: string) => string): string {
  return candidates.replace(/(^|,\s+)([^\s,]\S*)/g, (_, before, address) => before + change(address));
}

function hasScheme(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(address);
}
