/** A parser normalizes the host, which takes quadratic time for combining characters. */
const MAX_URL_LENGTH = 4000;

export function parseWebUrl(text: string, { base, most = MAX_URL_LENGTH }: Limits = {}): URL | null {
  const url = text.length <= most ? URL.parse(text, base) : null;
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

interface Limits {
  base?: string;
  most?: number;
}
