/** Stands for whatever host this is. */
const HERE = "http://here.invalid";

/**
 * The path and query of an address on this host, as a browser would read it; null for one that leads elsewhere
 * ("//evil.example", "/\evil.example", "https://…"): whoever signs in is not to be sent there.
 */
export function localPath(text: string | null): string | null {
  const url = text?.startsWith("/") ? URL.parse(text, HERE) : null;
  if (!url || url.origin !== HERE) return null;
  // "/.//evil.example" has our origin, and a path that would be read as another host.
  return `/${url.pathname.replace(/^\/+/, "")}${url.search}`;
}
