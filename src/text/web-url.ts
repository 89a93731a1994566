/** Parses an http or https URL. @returns null for any other text */
export function parseWebUrl(
  text: string,
  { base, most = Number.POSITIVE_INFINITY }: Limits = {},
): URL | null {
  const url = text.length <= most ? URL.parse(text, base) : null;
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

interface Limits {
  /** URL to which a relative URL refers. */
  base?: string;
  /** Maximum length in characters. */
  most?: number;
}
