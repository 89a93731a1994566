import type { Html } from "../../html";

/** Characters that XML 1.0 cannot hold, not even escaped (section 2.2, Char). */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;

/** A whole XML document. The `html` template escapes for XML too: it uses no entity that XML does not have. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${root.markup.replace(FORBIDDEN, "")}\n`;
}
