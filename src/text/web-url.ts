/** @returns null for any text but an http or https URL */
export function parseWebUrl(
  text: string,
  { base, most = Number.POSITIVE_INFINITY }: Limits = {},
): URL | null {
  const url = text.length <= most ? URL.parse(text, base) : null;
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

interface Limits {
  /** A relative URL is resolved against this URL. */
  base?: string;
  /** Maximum length in characters. */
  most?: number;
}
