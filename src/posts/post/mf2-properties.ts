import { MAX_COUNTS, UNTRIMMED_FACTOR } from "../../config/request-limits";
import { invalid } from "../../errors";
import { cleanText, percentDecoded } from "../../text/clean-text";

/** Stands for the base URL in stored HTML and properties. Cleaned text never contains this mark. */
export const BASE_URL_MARK = "\u001A";

/** @param base "" in pages, otherwise the public base URL */
export function insertBaseUrl(html: string, base: string): string {
  return html.replaceAll(BASE_URL_MARK, base);
}

/** Microformats2 properties. Each name has a list of values, which can be any JSON. */
export type Properties = Record<string, unknown[]>;

const MAX_PROPERTIES_BYTES = 256 * 1024;

const NEEDS_NO_CONTENT = `in-reply-to like-of repost-of bookmark-of checkin rsvp summary photo video audio
  listen-of watch-of read-of weight exercise drank ate`.split(/\s+/);

/** @throws Refusal (invalid) */
export function checkProperties(properties: Properties): Properties {
  const crowded = Object.entries(properties).find(([, values]) => values.length > MAX_COUNTS.values);
  if (crowded) throw invalid({ [crowded[0]]: [`must be at most ${MAX_COUNTS.values} values`] });
  assertSmall(properties, UNTRIMMED_FACTOR * MAX_PROPERTIES_BYTES);
  const cleaned = withTexts(properties, cleanText) as Properties;
  assertSmall(cleaned, MAX_PROPERTIES_BYTES);
  return cleaned;
}

function assertSmall(properties: Properties, most: number): void {
  if (Buffer.byteLength(JSON.stringify(properties)) > most)
    throw invalid({ properties: [`must be at most ${MAX_PROPERTIES_BYTES / 1024} KB together`] });
}

/** An empty list removes a property. */
export function mergeProperties(before: Properties, named: Properties): Properties {
  const merged = { ...before, ...named };
  return Object.fromEntries(Object.entries(merged).filter(([, values]) => values.length > 0));
}

export function canReplaceContent(properties: Properties): boolean {
  return NEEDS_NO_CONTENT.some((name) => Object.hasOwn(properties, name));
}

/** Replaces the base URL in media URLs, so that a new domain needs no rewrite. */
export function relativizeProperties(properties: Properties, base: string): Properties {
  return replaceStarts(properties, `${base}/media/`, `${BASE_URL_MARK}/media/`);
}

export function absolutizeProperties(properties: Properties, base: string): Properties {
  return replaceStarts(properties, BASE_URL_MARK, base);
}

function replaceStarts(properties: Properties, from: string, to: string): Properties {
  const replace = (text: string) => (text.startsWith(from) ? to + text.slice(from.length) : text);
  return withTexts(properties, replace) as Properties;
}

export function ownMediaFolders(properties: Properties): string[] {
  const values = [...(properties.photo ?? []), ...(properties.video ?? [])];
  return [...new Set(values.flatMap((value) => ownFolder.exec(urlOfValue(value) ?? "")?.[1] ?? []))];
}

const ownFolder = new RegExp(`^${BASE_URL_MARK}/media/([^/]+)/[^/]+$`);

export function urlOfValue(value: unknown): string | null {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return null;
  const { value: own, properties } = value as { value?: unknown; properties?: { url?: unknown } };
  if (typeof own === "string") return own;
  const url = Array.isArray(properties?.url) ? properties.url[0] : properties?.url;
  return typeof url === "string" ? url : null;
}

export function filenameInMediaUrl(address: string | null, base: string): string | null {
  const path = address?.startsWith(`${base}/media/`) ? address.slice(base.length) : "";
  const encoded = /^\/media\/[0-9a-f]{32}\/([^/?#]+)$/.exec(path)?.[1];
  return encoded ? percentDecoded(encoded) : null;
}

function withTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, change));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]) => [change(name), withTexts(inner, change)]);
  return Object.fromEntries(entries);
}
