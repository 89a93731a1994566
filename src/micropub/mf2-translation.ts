import { type Blog, postUrl } from "../blogs/blogs";
import { MAX_SLUG_LENGTH, slugify } from "../blogs/slug";
import { instantOf } from "../blogs/time-zone";
import { MAX_LENGTHS } from "../config/request-limits";
import { assertRules, invalid, malformed, tooLong } from "../errors";
import { mediaPath } from "../media/files/media-urls";
import type { Platen } from "../platen";
import { altOfValue } from "../posts/content/reply-context";
import type { Properties } from "../posts/post/mf2-properties";
import { absolutizeProperties, filenameInMediaUrl, urlOfValue } from "../posts/post/mf2-properties";
import { altTextOf, previewImage, type Status, type WholePost } from "../posts/post/post";
import type { PostChanges } from "../posts/writing/post-input";
import { SERVICE_NAMES } from "../syndication/stored-copies";
import { isObject } from "../text/json";
import type { Commands } from "./parsing-actions";

export const CHANNELS = [
  { uid: "default", name: "Posts" },
  { uid: "pages", name: "Pages" },
];
/** `archived` is not part of Micropub, but apps get it by q=source and send it back. */
const MICROPUB_STATUSES: Status[] = ["published", "draft", "archived"];
const MEDIA_PROPERTIES = ["photo", "video"];
/** Properties that become columns of the post. */
const COLUMN_PROPERTIES = ["name", "content", "published", "post-status", "visibility"];
/** Properties that only q=source returns, and that are ignored if an app sends them back. */
const READ_ONLY = ["url", "platen-warning"];

/** An empty list clears the property, except `post-status`. @param altText of the post so far */
export function postChangesFromMf2(
  platen: Platen,
  { timeZone }: Blog,
  { properties, commands }: { properties: Properties; commands: Commands },
  altText: Record<string, string> = {},
): PostChanges {
  const { name, summary, content, category, published, visibility, "post-status": status } = properties;
  return {
    title: name && singleText("name", name),
    summary: summary && (isOneText(summary) ? String(summary[0] ?? "") : null),
    ...(content && contentIn(content)),
    ...(category && categoryAndTagsIn(category)),
    publishedAt: published && parsePublished(published, timeZone),
    status: status && parseStatus(status),
    hidden: visibility && isUnlisted(visibility),
    slug: parseSlug(commands["mp-slug"]),
    type: typeIn(commands["mp-channel"]),
    reach: reachIn(commands["mp-syndicate-to"]),
    ...otherPropertiesIn(properties, platen.config.url, altText),
  };
}

/** A string is Markdown, {"html": …} is HTML. */
function contentIn(values: unknown[]): Pick<PostChanges, "content" | "contentType"> {
  const [first] = values;
  if (isObject(first) && "html" in first && values.length === 1)
    return { content: singleText("content", [first.html]), contentType: "html" };
  return { content: singleText("content", values), contentType: "markdown" };
}

/** The first value is the category, the others are tags. Objects (people, places) stay properties. */
function categoryAndTagsIn(values: unknown[]): Pick<PostChanges, "category" | "tags"> {
  const names = values.filter(isPlain).map((value) => String(value).trim());
  const [category = null, ...tags] = names.filter(Boolean);
  return { category, tags };
}

function parsePublished(values: unknown[], timeZone: string): Date | null {
  const text = singleText("published", values).trim();
  if (text === "") return null;
  const instant = text.length <= MAX_LENGTHS.time ? instantOf(text, timeZone) : null;
  if (!instant) throw invalid({ published: ["must be an ISO 8601 time like 2026-03-01T09:00:00+01:00"] });
  return instant;
}

/** HTML forms send an empty field if nothing was chosen. */
function parseStatus(values: unknown[]): Status | undefined {
  const text = singleText("post-status", values);
  if (text === "") return undefined;
  const status = MICROPUB_STATUSES.find((known) => known === text);
  if (!status) throw invalid({ "post-status": ["must be published or draft"] });
  return status;
}

function isUnlisted(values: unknown[]): boolean {
  const text = singleText("visibility", values) || "public";
  if (text === "private")
    throw malformed("visibility must be public or unlisted; private posts are not supported.", {
      visibility: ["must be public or unlisted"],
    });
  if (text !== "public" && text !== "unlisted") throw invalid({ visibility: ["must be public or unlisted"] });
  return text === "unlisted";
}

function parseSlug(values: unknown[] = []): string | undefined {
  const slug = String(values.find(isPlain) ?? "");
  assertRules({ "mp-slug": tooLong(slug, MAX_LENGTHS.requestedSlug) });
  return slugify(slug, MAX_SLUG_LENGTH) || undefined;
}

function typeIn(values: unknown[] = []): PostChanges["type"] {
  const channels = values.filter((value) => value !== "");
  if (channels.length === 0) return undefined;
  const unknown = channels.find((channel) => !CHANNELS.some(({ uid }) => uid === channel));
  if (unknown !== undefined || channels.length > 1)
    throw invalid({ "mp-channel": [`must be one of ${CHANNELS.map(({ uid }) => uid).join(", ")}`] });
  return channels[0] === "pages" ? "page" : "post";
}

function reachIn(targets: unknown[] = []): PostChanges["reach"] {
  if (!SERVICE_NAMES.some((name) => targets.includes(name))) return undefined;
  return Object.fromEntries(SERVICE_NAMES.map((name) => [name, targets.includes(name)]));
}

/** For media on this server, alt texts become `altText`, and `featured` becomes `previewImage`. */
function otherPropertiesIn(properties: Properties, base: string, altText: Record<string, string>) {
  const { featured } = properties;
  const previewImage = featured && filenameInMediaUrl(urlOfValue(featured[0]), base);
  const alts = new Map<string, string>();
  const withoutAlt = (value: unknown) => {
    const filename = filenameInMediaUrl(urlOfValue(value), base);
    if (filename === null) return value;
    if (isObject(value) && "alt" in value) alts.set(filename, altOfValue(value));
    return urlOfValue(value);
  };
  const keptValues = (name: string, values: unknown[]) => {
    if (name === "featured" && previewImage !== null) return [];
    if (name === "summary") return isOneText(values) ? [] : values;
    if (name === "category") return values.filter((value) => !isPlain(value));
    const given = values.filter((value) => value !== "");
    return MEDIA_PROPERTIES.includes(name) ? given.map(withoutAlt) : given;
  };
  const others = Object.entries(properties)
    .filter(([name]) => !COLUMN_PROPERTIES.includes(name) && !READ_ONLY.includes(name))
    .map(([name, values]) => [name, keptValues(name, values)]);
  return {
    properties: others.length > 0 ? Object.fromEntries(others) : undefined,
    altText: alts.size > 0 ? { ...altText, ...Object.fromEntries(alts) } : undefined,
    previewImage,
  };
}

function singleText(name: string, values: unknown[]): string {
  const [first = "", ...more] = values;
  if (more.length > 0) throw invalid({ [name]: ["must have one value"] });
  if (isPlain(first)) return String(first);
  const { value } = (first ?? {}) as { value?: unknown };
  if (typeof value !== "string") throw invalid({ [name]: ["must be a string"] });
  return value;
}

/** One plain value sets the summary, none removes it. Other values stay a property. */
function isOneText(values: unknown[]): boolean {
  return values.length <= 1 && values.every(isPlain);
}

function isPlain(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

export interface Mf2 {
  type: ["h-entry"];
  properties: Properties;
}

/** The result of q=source. Sending it back with `replace` must not change the post. */
export function postToMf2(platen: Platen, post: WholePost): Mf2 {
  const base = platen.config.url;
  const {
    category: people = [],
    photo = [],
    video = [],
    summary = [],
    ...kept
  } = absolutizeProperties(post.properties, base);
  const withAlt = (value: unknown) => {
    const filename = filenameInMediaUrl(urlOfValue(value), base);
    if (filename === null || !Object.hasOwn(post.altText, filename)) return value;
    return { value: urlOfValue(value), alt: altTextOf({ filename, caption: "" }, post.altText) };
  };
  const category = [post.category?.name, ...post.tags].filter((name) => name !== undefined);
  const all: Properties = {
    name: post.title === "" ? [] : [post.title],
    summary: post.summary === null ? summary : [post.summary],
    content: post.source === "" ? [] : [post.sourceType === "html" ? { html: post.source } : post.source],
    category: [...category, ...people],
    photo: photo.map(withAlt),
    video: video.map(withAlt),
    featured: featured(post, base),
    published: post.publishedAt ? [post.publishedAt.toISOString().replace(".000Z", "Z")] : [],
    "post-status": [post.status],
    visibility: [post.hidden ? "unlisted" : "public"],
    url: [postUrl(platen, post.blog, post)],
    "platen-warning": [...photo, ...video].flatMap((value) => warningFor(value, base)),
    ...kept,
  };
  const properties = Object.fromEntries(Object.entries(all).filter(([, values]) => values.length > 0));
  return { type: ["h-entry"], properties };
}

function featured(post: WholePost, base: string): string[] {
  const blob = post.previewImage === null ? null : previewImage(post);
  return blob?.filename === post.previewImage ? [base + mediaPath(blob)] : [];
}

/** A URL on another server means that the file could not be fetched. */
function warningFor(value: unknown, base: string): string[] {
  const address = urlOfValue(value);
  if (address === null || filenameInMediaUrl(address, base) !== null) return [];
  return [`${address} could not be fetched, so the post links to it instead of a copy.`];
}

export function mediaAddresses(properties: Properties): string[] {
  return MEDIA_PROPERTIES.flatMap((name) => (properties[name] ?? []).map(urlOfValue)).filter(
    (address) => address !== null,
  );
}

/** @param alts values of mp-photo-alt, in the order of the photos; photos with an alt text keep it */
export function withPhotoAlts(properties: Properties, alts: unknown[] = []): Properties {
  const { photo } = properties;
  if (!photo || alts.length === 0) return properties;
  const described = photo.map((value, at) => {
    const alt = alts[at];
    return typeof value === "string" && typeof alt === "string" && alt !== "" ? { value, alt } : value;
  });
  return { ...properties, photo: described };
}

export function withAddresses(properties: Properties, addresses: Map<string, string>): Properties {
  const replaceUrl = (value: unknown) => {
    const address = addresses.get(urlOfValue(value) ?? "");
    if (address === undefined) return value;
    return typeof value === "string" ? address : { ...(value as object), value: address };
  };
  const media = Object.entries(properties).filter(([name]) => MEDIA_PROPERTIES.includes(name));
  return {
    ...properties,
    ...Object.fromEntries(media.map(([name, values]) => [name, values.map(replaceUrl)])),
  };
}
