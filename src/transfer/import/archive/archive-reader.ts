import { MEGABYTE } from "../../../config/units";
import type { PostChanges } from "../../../posts/writing/post-changes";
import type { ThemeName } from "../../../themes/themes";
import { ARCHIVE_FILE } from "../formats/formats";
import { type Source, SourceFault, textIn } from "../sources/source";

/** What this program can read. */
const VERSION = 1;
/** In bytes: a post of 5 MB, with whatever JSON makes of it. A longer one is passed over. */
const LONGEST_LINE = 64 * MEGABYTE;

/** What the archive says of itself. */
export interface AboutArchive {
  /** Of the blog: the same however often it is exported. */
  id: string;
  /** The base address that its texts name files by. */
  url: string;
}

type Fields = Record<string, unknown>;

/** @throws SourceFault */
export async function aboutArchive(source: Source): Promise<AboutArchive> {
  const { format, version, id, url } = await objectIn(source, ARCHIVE_FILE);
  if (format !== "platen" || typeof version !== "number" || typeof id !== "string" || typeof url !== "string")
    throw new SourceFault(`${source.name} is no archive of Platen's.`);
  if (version > VERSION)
    throw new SourceFault(
      `${source.name} was made by a newer Platen: bring it in with that one, or a newer.`,
    );
  return { id, url };
}

/** @throws SourceFault */
export async function objectIn(source: Source, path: string): Promise<Fields> {
  const read = fieldsIn(await textIn(source, path, LONGEST_LINE));
  if (!read) throw new SourceFault(`${path} of ${source.name} cannot be read.`);
  return read;
}

/** One object after the other; null for a line that is none, or is longer than any can be. Nothing where there is no such file. @throws SourceFault */
export async function* linesIn(source: Source, path: string): AsyncGenerator<Fields | null> {
  if (!source.has(path)) return;
  let begun: Buffer[] = [];
  let length = 0;
  const taken = (end: Buffer) => {
    const line = length > LONGEST_LINE ? null : fieldsIn(Buffer.concat([...begun, end]).toString("utf8"));
    [begun, length] = [[], 0];
    return line;
  };
  for await (const piece of source.bytes(path)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
      yield taken(bytes.subarray(from, end));
      from = end + 1;
    }
    length += bytes.length - from;
    if (length > LONGEST_LINE) begun = [];
    else begun.push(Buffer.from(bytes.subarray(from)));
  }
  if (length > 0) yield taken(Buffer.alloc(0));
}

function fieldsIn(text: string): Fields | null {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null && !Array.isArray(read) ? (read as Fields) : null;
  } catch {
    return null;
  }
}

export const text = (value: unknown): string => (typeof value === "string" ? value : "");
export const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
export const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function timeOrNull(value: unknown): Date | null {
  const at = typeof value === "string" && value.length <= 40 ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : new Date(at);
}

/** @param fallback where none can be read */
export function time(value: unknown, fallback: Date): Date {
  return timeOrNull(value) ?? fallback;
}

/** A line of posts.jsonl. */
export function postIn(line: Fields): PostChanges {
  const { status, previewImage = line.preview_image } = line;
  return {
    type: line.type === "page" ? "page" : "post",
    status: status === "published" || status === "archived" ? status : "draft",
    title: text(line.title),
    summary: textOrNull(line.summary),
    pinned: line.pinned === true,
    slug: text(line.slug) || undefined,
    content: text(line.content),
    contentType: line.content_type === "markdown" ? "markdown" : "html",
    publishedAt: timeOrNull(line.published_at),
    category: textOrNull(line.category),
    tags: texts(line.tags),
    altText: textMap(line.alt_text),
    previewImage: textOrNull(previewImage),
    properties: lists(line.microformats),
    hidden: line.hidden === true,
    hideInRss: line.hide_in_rss === true,
    noIndexNoFollow: line.no_index_no_follow === true,
    showContactForm: line.show_contact_form === true,
    kommentsDisabled: line.komments_disabled === true,
    skipArchive: line.skip_archive === true,
    isShared: line.shared === true,
  };
}

function textMap(value: unknown): Record<string, string> {
  if (!isFields(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, text(one)]));
}

function lists(value: unknown): Record<string, unknown[]> {
  if (!isFields(value)) return {};
  const given = Object.entries(value).filter(([, values]) => Array.isArray(values));
  return Object.fromEntries(given) as Record<string, unknown[]>;
}

/** blog.json, as `configureBlog` takes it; links are left to whoever knows the pages. */
export function settingsIn(line: Fields) {
  return {
    title: text(line.title),
    description: text(line.description),
    language: text(line.language),
    timeZone: text(line.time_zone),
    theme: text(line.theme) as ThemeName,
    accent: text(line.accent),
    header: text(line.header),
    footer: text(line.footer),
    css: textOrNull(line.css) ?? undefined,
    profiles: texts(line.profiles),
    postsAPage: Number(line.posts_a_page),
    kommentsOpen: line.komments_open !== false,
    kommentsModerated: line.komments_moderated !== false,
  };
}

export function linksIn(line: Fields): { label: string; to: string }[] {
  const links = Array.isArray(line.navigation) ? line.navigation.filter(isFields) : [];
  return links.map(({ label, to }) => ({ label: text(label), to: text(to) }));
}

/** Of a former version: what pages of versions read is of the kind it is to be. */
export function isSoundVersion(fields: unknown): fields is Fields {
  if (!isFields(fields) || timeOrNull(fields.updatedAt) === null) return false;
  const { title, summary, source, sourceType, category, tags, altText } = fields;
  const isText = (value: unknown) => value === undefined || value === null || typeof value === "string";
  return (
    [title, summary, source, sourceType, category].every(isText) &&
    (tags === undefined || Array.isArray(tags)) &&
    (altText === undefined || isFields(altText))
  );
}
