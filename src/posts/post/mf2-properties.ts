import { MAX_COUNTS, UNTRIMMED_FACTOR } from "../../config/request-limits";
import { invalid } from "../../errors";
import { cleanText, percentDecoded } from "../../text/clean-text";

/** Stands for the base address in stored HTML and properties; cleaned text holds no such character. */
export const BASE_URL_MARK = "\u001A";

/** Stored HTML with its media addresses made whole. @param base "" on pages, elsewhere the public base address */
export function insertBaseUrl(html: string, base: string): string {
  return html.replaceAll(BASE_URL_MARK, base);
}

/** Microformats properties: name → values, each a text or an object, nested as it came. */
export type Properties = Record<string, unknown[]>;

/** Of all of a post's properties together, in bytes of JSON. */
const LARGEST = 256 * 1024;

/** A property of these makes a post, also without a title and content. */
const STAND_ALONE = `in-reply-to like-of repost-of bookmark-of checkin rsvp summary photo video audio
  listen-of watch-of read-of weight exercise drank ate`.split(/\s+/);

/** The properties without control characters. @throws Refusal (invalid) for too much of them */
export function checkProperties(properties: Properties): Properties {
  assertPropertySize(properties);
  const cleaned = withTexts(properties, cleanText) as Properties;
  demandSmall(cleaned, LARGEST);
  return cleaned;
}

/** @throws Refusal (invalid) for more than can be kept however it is tidied */
export function assertPropertySize(properties: Properties): void {
  const crowded = Object.entries(properties).find(([, values]) => values.length > MAX_COUNTS.values);
  if (crowded) throw invalid({ [crowded[0]]: [`must be at most ${MAX_COUNTS.values} values`] });
  demandSmall(properties, UNTRIMMED_FACTOR * LARGEST);
}

function demandSmall(properties: Properties, most: number): void {
  if (Buffer.byteLength(JSON.stringify(properties)) > most)
    throw invalid({ properties: [`must be at most ${LARGEST / 1024} KB together`] });
}

/** The properties with the named ones replaced, and those that are named without values removed. */
export function mergeProperties(before: Properties, named: Properties): Properties {
  const merged = { ...before, ...named };
  return Object.fromEntries(Object.entries(merged).filter(([, values]) => values.length > 0));
}

/** Do they make a post without title and content, as a like does? */
export function canReplaceContent(properties: Properties): boolean {
  return STAND_ALONE.some((name) => Object.hasOwn(properties, name));
}

/** As they are stored: addresses of our own media begin with BASE, so that they outlive a change of address. */
export function relativizeProperties(properties: Properties, base: string): Properties {
  const own = `${base}/media/`;
  const relative = (text: string) => (text.startsWith(own) ? BASE_URL_MARK + text.slice(base.length) : text);
  return withTexts(properties, relative) as Properties;
}

/** As clients and readers see them: the addresses of our own media whole. @param base "" on pages */
export function absolutizeProperties(properties: Properties, base: string): Properties {
  const absolute = (text: string) =>
    text.startsWith(BASE_URL_MARK) ? base + text.slice(BASE_URL_MARK.length) : text;
  return withTexts(properties, absolute) as Properties;
}

/** The folders of our own media that are named as the post's photos and videos, in their order. @param properties as stored */
export function ownMediaFolders(properties: Properties): string[] {
  const addresses = [...(properties.photo ?? []), ...(properties.video ?? [])].map(urlOfValue);
  const folders = addresses.map((address) => ownFolder.exec(address ?? "")?.[1]);
  return [...new Set(folders.filter((folder) => folder !== undefined))];
}

const ownFolder = new RegExp(`^${BASE_URL_MARK}/media/([^/]+)/[^/]+$`);

/** The address a value names: the text itself, or the `value` or `url` of an object. */
export function urlOfValue(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return null;
  const { value: own, properties } = value as { value?: unknown; properties?: { url?: unknown } };
  if (typeof own === "string") return own;
  const url = Array.isArray(properties?.url) ? properties.url[0] : properties?.url;
  return typeof url === "string" ? url : null;
}

/** The filename in an address of our own media; null where it is none. */
export function filenameInMediaUrl(address: string | null, base: string): string | null {
  const path = address?.startsWith(`${base}/media/`) ? address.slice(base.length) : "";
  const encoded = /^\/media\/[0-9a-f]{32}\/([^/?#]+)$/.exec(path)?.[1];
  return encoded ? percentDecoded(encoded) : null;
}

function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [change(name), withTexts(inner, change)]),
  );
}
