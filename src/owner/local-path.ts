const PLACEHOLDER_ORIGIN = "http://here.invalid";

/**
 * The path and query of a URL on this host, as browsers parse it. Returns null for other hosts
 * ("//evil.example", "/\evil.example").
 */
export function localPath(text: string | null): string | null {
  const url = text?.startsWith("/") ? URL.parse(text, PLACEHOLDER_ORIGIN) : null;
  if (!url || url.origin !== PLACEHOLDER_ORIGIN) return null;
  // "/.//evil.example" has our origin, but browsers would read its path as another host.
  return `/${url.pathname.replace(/^\/+/, "")}${url.search}`;
}
