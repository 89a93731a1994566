/** "#abc" → "#aabbcc", "" → "". null if the text is not a color. */
export function normalizeAccent(color: string): string | null {
  if (!/^(?:#(?:[0-9a-f]{3}){1,2})?$/i.test(color)) return null;
  return color.length === 4 ? color.replace(/[0-9a-f]/gi, "$&$&") : color;
}
