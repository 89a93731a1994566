export function parseWebUrl(
  text: string,
  { base, most = Number.POSITIVE_INFINITY }: Limits = {},
): URL | null {
  const url = text.length <= most ? URL.parse(text, base) : null;
  return url && /^https?:$/.test(url.protocol) ? url : null;
}

interface Limits {
  base?: string;
  most?: number;
}
