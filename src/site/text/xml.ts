import type { Html } from "../../html";

/** What XML 1.0 cannot hold in any way, not even escaped (section 2.2, Char). */
const IMPOSSIBLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** A whole XML document. The `html` template escapes for XML just as well; it names no entity that XML does not know. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root.markup.replace(IMPOSSIBLE, "")}\n`;
}
