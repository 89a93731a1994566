import { cleanXml } from "../../../text/clean-text";

/** Uses CDATA, because one of the WordPress parsers does not decode entities. */
export function cdataElement(
  name: string,
  text: string | number,
  attributes: Record<string, string> = {},
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapedXml(value)}"`);
  return `<${name}${written.join("")}>${cdata(String(text))}</${name}>\n`;
}

/** WordPress stores titles, names and alt texts as HTML. */
export function asHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

export function parentElement(name: string, ...children: string[]): string {
  return `<${name}>\n${children.join("")}</${name}>\n`;
}

export function postMeta(key: string, value: string | number): string {
  return parentElement("wp:postmeta", cdataElement("wp:meta_key", key), cdataElement("wp:meta_value", value));
}

/** Splits "]]>" over two CDATA sections. */
function cdata(text: string): string {
  return `<![CDATA[${cleanXml(text).replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

function escapedXml(text: string): string {
  return Bun.escapeHTML(cleanXml(text));
}

/**
 * WordPress has one id range for posts and uploads, and one for komments and replies. Platen has separate ranges.
 */

export const wxrPostId = ({ id }: { id: number }) => 2 * id;
export const wxrAttachmentId = ({ id }: { id: number }) => 2 * id + 1;

export const wxrKommentId = ({ id }: { id: number }) => 2 * id;
export const wxrAnswerId = ({ id }: { id: number }) => 2 * id + 1;

/** WordPress writes this for a missing date. */
const NONE = "0000-00-00 00:00:00";

export function wxrUtcTime(at: Date | null): string {
  return at ? at.toISOString().slice(0, 19).replace("T", " ") : NONE;
}

export function wxrLocalTime(at: Date, zone: string): string {
  const there = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return there.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}
