/** Stands for the base address in stored HTML and properties, before every path of ours; it cannot be sent in. */
export const BASE = "\u001A";

/** Stored HTML with its media addresses made whole: on pages "", elsewhere the public base address. */
export function withBase(html: string, base: string): string {
  return html.replaceAll(BASE, base);
}
