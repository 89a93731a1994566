const PLACEHOLDER_ORIGIN = "http://here.invalid";

/** Begins a host, even after characters that parsers drop. Parsing a long one would take long. */
const HOST_START = /^\/[\t\n\r]*[/\\]/;

/**
 * Parses like a browser, because "//evil.example" and "/\evil.example" lead to another host.
 * @returns path and query, or null if the URL leads to another host or is relative
 */
export function localPath(text: string | null): string | null {
  const url = text?.startsWith("/") && !HOST_START.test(text) ? URL.parse(text, PLACEHOLDER_ORIGIN) : null;
  if (!url || url.origin !== PLACEHOLDER_ORIGIN) return null;
  // "/.//evil.example" passes the check, but browsers would read the path //evil.example as another host.
  return `/${url.pathname.replace(/^\/+/, "")}${url.search}`;
}
