import { cleanXml } from "../../text/clean-text";
import type { Html } from "../../text/html";

/** A text, or a piece of one, as it stands in an XML document. */
export function escapedXml(text: string): string {
  return cleanXml(Bun.escapeHTML(text));
}

/** A whole XML document. The `html` template escapes for XML too: it uses no entity that XML does not have. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${cleanXml(root.markup)}\n`;
}
