/** Stands for the base address in stored HTML and properties; cleaned text holds no such character. */
export const BASE = "\u001A";

/** Stored HTML with its media addresses made whole. @param base "" on pages, elsewhere the public base address */
export function withBase(html: string, base: string): string {
  return html.replaceAll(BASE, base);
}
