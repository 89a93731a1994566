import { cleanXml } from "../../../text/clean-text";

/** `<wp:post_name><![CDATA[tea]]></wp:post_name>`, as WordPress writes and reads it: one of its readers knows no escapes. */
export function element(
  name: string,
  text: string | number,
  attributes: Record<string, string> = {},
): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapedXml(value)}"`);
  return `<${name}${written.join("")}>${cdata(String(text))}</${name}>\n`;
}

/** As WordPress keeps titles, names and alt texts, which are HTML there. */
export function asHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** An element that holds others. */
export function parent(name: string, ...children: string[]): string {
  return `<${name}>\n${children.join("")}</${name}>\n`;
}

/** What a theme or plugin of WordPress looks up by its key. */
export function meta(key: string, value: string | number): string {
  return parent("wp:postmeta", element("wp:meta_key", key), element("wp:meta_value", value));
}

/** The end of a section within the text stands in two of them. */
function cdata(text: string): string {
  return `<![CDATA[${cleanXml(text).replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
}

function escapedXml(text: string): string {
  return Bun.escapeHTML(cleanXml(text));
}

/** WordPress counts posts and uploads in one row, komments and the answers to them in another: two here share one. */

export const postId = ({ id }: { id: number }) => 2 * id;
export const attachmentId = ({ id }: { id: number }) => 2 * id + 1;

export const kommentId = ({ id }: { id: number }) => 2 * id;
export const answerId = ({ id }: { id: number }) => 2 * id + 1;

/** What WordPress has where there is no time. */
const NONE = "0000-00-00 00:00:00";

/** "2019-03-02 07:00:00", UTC. */
export function utcTime(at: Date | null): string {
  return at ? at.toISOString().slice(0, 19).replace("T", " ") : NONE;
}

/** The same on the clocks of a zone. */
export function zonedTime(at: Date, zone: string): string {
  const there = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
  return there.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}
