import { readStartTags } from "../text/start-tags";
import { parseWebUrl } from "../text/web-urls";

export const MAX_PAGE_BYTES = 1_000_000;
export const MAX_URL_LENGTH = 2000;
/** The rest of a name or text is never shown. */
const MAX_VALUE_LENGTH = 10_000;

type MentionKind = "reply" | "like" | "repost" | "mention";

export interface Mention {
  kind: MentionKind;
  text: string;
  author: { name: string; url: string };
  url: string;
}

const PROPERTIES: [property: string, kind: MentionKind][] = [
  ["in-reply-to", "reply"],
  ["like-of", "like"],
  ["repost-of", "repost"],
];

/** @returns null if no element of the page links to `target` */
export async function readMention(html: string, source: string, target: string): Promise<Mention | null> {
  if (!linksTo(html, source, target)) return null;
  const { mf2 } = await import("microformats-parser");
  const { items } = mf2(html, { baseUrl: source });
  const entries = items.filter(({ type }) => type?.includes("h-entry"));
  const kinds = entries.map((entry) => ({ entry, kind: kindOf(entry.properties, target) }));
  const { entry, kind } = kinds.find((one) => one.kind !== undefined) ?? {
    entry: entries[0],
    kind: undefined,
  };
  const properties: Properties = entry?.properties ?? {};
  const author = properties.author?.[0] ?? items.find(({ type }) => type?.includes("h-card"));
  return {
    kind: kind ?? "mention",
    text: textOf(properties.content?.[0]) || textOf(properties.summary?.[0]) || textOf(properties.name?.[0]),
    author: { name: textOf(fieldOf(author, "name")), url: urlOf(fieldOf(author, "url"), source) },
    url: sameHostUrl(urlOf(properties.url?.[0], source), source),
  };
}

/** A URL in text or in a comment does not count. */
function linksTo(html: string, source: string, target: string): boolean {
  const targetUrl = new URL(target).href;
  let isLinked = false;
  readStartTags(html, (_name, { href, src, poster, cite, data }) => {
    for (const address of [href, src, poster, cite, data])
      if (address !== undefined && URL.parse(address, source)?.href === targetUrl) isLinked = true;
  });
  return isLinked;
}

/** A microformats2 value: text, an object with `value`, or an item with properties. */
type Value = string | { value?: unknown; properties?: Properties } | undefined;
type Properties = Record<string, Value[] | undefined>;

function kindOf(properties: Properties, target: string): MentionKind | undefined {
  const isTarget = (value: Value) => urlOf(value, target) === new URL(target).href;
  return PROPERTIES.find(([property]) => properties[property]?.some(isTarget))?.[1];
}

function textOf(value: Value): string {
  const text = typeof value === "string" ? value : value?.value;
  return typeof text === "string" ? text.trim().slice(0, MAX_VALUE_LENGTH) : "";
}

function fieldOf(value: Value, field: "name" | "url"): Value {
  if (typeof value !== "object") return field === "name" ? value : undefined;
  return value.properties?.[field]?.[0] ?? (field === "name" ? textOf(value) : undefined);
}

function urlOf(value: Value, base: string): string {
  const itemUrl = typeof value === "object" ? value.properties?.url?.[0] : undefined;
  const url = parseWebUrl(textOf(itemUrl) || textOf(value), { base });
  return url && url.href.length <= MAX_URL_LENGTH ? url.href : "";
}

function sameHostUrl(url: string, source: string): string {
  return URL.parse(url)?.host === new URL(source).host ? url : source;
}

/**
 * The Link header counts before the first link in the document (W3C Webmention 3.1.2).
 * @param linkHeader several headers are joined by commas
 * @param base final URL of the page, after redirects
 */
export function findEndpoint(linkHeader: string | null, html: string, base: string): string | null {
  return endpointInHeader(linkHeader ?? "", base) ?? endpointInHtml(html, base);
}

function endpointInHeader(header: string, base: string): string | null {
  for (const link of header.split("<").slice(1)) {
    const end = link.indexOf(">");
    const rel = /;\s{0,9}rel\s{0,9}=\s{0,9}(?:"([^"]{0,200})"|([^\s;,"]{1,200}))/i.exec(link.slice(end + 1));
    if (end >= 0 && isWebmention(rel?.[1] ?? rel?.[2])) return resolveEndpoint(link.slice(0, end), base);
  }
  return null;
}

function endpointInHtml(html: string, base: string): string | null {
  let endpoint: string | null = null;
  let documentBase = base;
  readStartTags(html, (name, { href, rel }, parser) => {
    if (href === undefined) return;
    if (name === "base") documentBase = URL.parse(href, base)?.href ?? base;
    else if ((name === "link" || name === "a") && isWebmention(rel)) {
      endpoint = resolveEndpoint(href, documentBase);
      parser.pause();
    }
  });
  return endpoint;
}

/** `rel` is a list of words, so "not-webmention" does not match. */
function isWebmention(rel: string | undefined): boolean {
  return (rel ?? "").toLowerCase().split(/\s+/).includes("webmention");
}

/** An empty address is the page itself. */
function resolveEndpoint(address: string, base: string): string | null {
  return parseWebUrl(address, { base })?.href ?? null;
}
