import { cleanXml } from "../../text/clean-text";
import type { Html } from "../../text/html";

/** The `html` template escapes for XML too. */
export function xmlDocument(root: Html): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${cleanXml(root.markup)}\n`;
}
