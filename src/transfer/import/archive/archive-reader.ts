import { type Blog, MAX_BLOG_TITLE_LENGTH } from "../../../blogs/blogs";
import { parseDesign } from "../../../blogs/design-file";
import { MEGABYTE } from "../../../config/units";
import { findRow } from "../../../database/rows";
import { posts } from "../../../database/schema";
import type { ImportedKomment } from "../../../komments/writing-and-importing-komments";
import type { ImportedMessage } from "../../../messages";
import type { Platen } from "../../../platen";
import type { SavedBy } from "../../../posts/post/post";
import { permanentIds } from "../../../posts/storage/slugs-and-permanent-ids";
import type { PostChanges } from "../../../posts/writing/post-input";
import { isObject, parseJsonObject } from "../../../text/json";
import { isLanguage } from "../../../text/language-tags";
import {
  type Fields,
  listsByName,
  parseDate,
  parseFlags,
  parseStatus,
  textList,
  textOrEmpty,
  textOrNull,
  textsByName,
} from "../items/dates-and-fields";
import type { ImportFormat } from "../items/imported-item";
import { findRecord } from "../run/import-records";
import type { ImportReport } from "../run/import-report";
import { readText, type Source, SourceError } from "../sources/source-files";

const ARCHIVE_FILE = "archive.json";
const VERSION = 1;
const MAX_LINE_LENGTH = 32 * MEGABYTE;

/** `restoreArchive` imports this format, so `read` yields nothing. */
export const platen: ImportFormat = {
  name: "platen",
  find: ({ has }) => (has(ARCHIVE_FILE) && has("blog.json") ? [ARCHIVE_FILE] : []),
  async *read() {},
};

interface ArchiveInfo {
  /** Id of the exported blog. All exports of a blog have the same id. */
  id: string;
  /** Public URL of the server that made the archive. Media URLs in posts begin with this URL. */
  url: string;
}

export interface ArchiveContext {
  platen: Platen;
  /** The blog that receives the archive. */
  blog: Blog;
  source: Source;
  about: ArchiveInfo;
  report: ImportReport;
}

export async function readArchiveInfo(source: Source): Promise<ArchiveInfo> {
  const { format, version, id, url } = await readJsonFile(source, ARCHIVE_FILE);
  if (format !== "platen" || typeof version !== "number" || typeof id !== "string" || typeof url !== "string")
    throw new SourceError(`${source.name} is not a Platen archive.`);
  if (version > VERSION)
    throw new SourceError(`${source.name} was made by a newer version of Platen. Update Platen first.`);
  return { id, url };
}

export async function readJsonFile(source: Source, path: string): Promise<Fields> {
  const fields = parseJsonObject(await readText(source, path));
  if (!fields) throw new SourceError(`${path} in ${source.name} cannot be read.`);
  return fields;
}

/** @throws SourceError if a line is too long */
export async function* readJsonLines(context: ArchiveContext, path: string): AsyncGenerator<Fields> {
  const { source, report } = context;
  if (!source.has(path)) return;
  const decoder = new TextDecoder();
  let remainder = "";
  for await (const piece of source.bytes(path)) {
    const lines = (remainder + decoder.decode(piece, { stream: true })).split("\n");
    remainder = lines.pop() ?? "";
    if (remainder.length > MAX_LINE_LENGTH) throw new SourceError(`${path} has a line that is too long.`);
    yield* parseLines(report, path, lines);
  }
  yield* parseLines(report, path, [remainder]);
}

function* parseLines(report: ImportReport, path: string, lines: string[]): Generator<Fields> {
  for (const line of lines.filter(Boolean)) {
    const fields = parseJsonObject(line);
    if (fields) yield fields;
    else report.errors.add(`Invalid line in ${path}.`);
  }
}

export function parsePostLine(line: Fields): PostChanges {
  const language = textOrEmpty(line.language);
  return {
    type: line.type === "page" ? "page" : "post",
    status: parseStatus(line),
    title: textOrEmpty(line.title),
    summary: textOrNull(line.summary),
    series: textOrNull(line.series),
    language: isLanguage(language) ? language : null,
    slug: textOrEmpty(line.slug) || undefined,
    content: textOrEmpty(line.content),
    contentType: line.content_type === "markdown" ? "markdown" : "html",
    publishedAt: parseDate(line.published_at),
    category: textOrNull(line.category),
    tags: textList(line.tags),
    altText: textsByName(line.alt_text),
    previewImage: textOrNull(line.preview_image),
    properties: listsByName(line.microformats),
    ...parseFlags(line),
    isShared: line.shared === true,
  };
}

export function parseMadeBy({ made_by }: Fields): SavedBy | null {
  if (!isObject(made_by)) return null;
  const name = textOrEmpty(made_by.name).slice(0, MAX_BLOG_TITLE_LENGTH);
  return { name, app: textOrNull(made_by.app)?.slice(0, MAX_BLOG_TITLE_LENGTH) ?? null };
}

export function parseSettings(line: Fields) {
  return {
    title: textOrEmpty(line.title),
    description: textOrEmpty(line.description),
    language: textOrEmpty(line.language),
    timeZone: textOrEmpty(line.time_zone),
    theme: textOrEmpty(line.theme),
    accent: textOrEmpty(line.accent),
    header: textOrEmpty(line.header),
    footer: textOrEmpty(line.footer),
    css: textOrNull(line.css) ?? undefined,
    profiles: textList(line.profiles),
    design: parseDesign(line.design),
    postsAPage: typeof line.posts_a_page === "number" ? line.posts_a_page : Number.NaN,
    feedContent: line.feed_content === "summary" ? "summary" : "full",
    kommentsOpen: line.komments_open !== false,
    kommentsModerated: line.komments_moderated !== false,
  };
}

export function navigationLinks(line: Fields) {
  const links = Array.isArray(line.navigation) ? line.navigation.filter(isObject) : [];
  return links.map(({ label, to }) => ({ label: textOrEmpty(label), to: textOrEmpty(to) }));
}

/** Checks only the fields that the revision pages use. */
export function isValidRevision(fields: unknown): fields is Fields {
  if (!isObject(fields) || Number.isNaN(Date.parse(textOrEmpty(fields.updatedAt)))) return false;
  const { title, summary, series, language, source, sourceType, category, tags, altText } = fields;
  const isText = (value: unknown) => value === undefined || value === null || typeof value === "string";
  return (
    [title, summary, series, language, source, sourceType, category].every(isText) &&
    (tags === undefined || (Array.isArray(tags) && tags.every(isText))) &&
    (altText === undefined || (isObject(altText) && Object.values(altText).every(isText)))
  );
}

export function parseKommentLine(line: Fields, fallback: Date): ImportedKomment {
  const { status, answer } = line;
  const reply = isObject(answer) && {
    text: textOrEmpty(answer.text),
    at: parseDate(answer.at) ?? fallback,
  };
  return {
    ...parseReader(line, fallback),
    status: status === "shown" || status === "refused" ? status : "waiting",
    editedAt: parseDate(line.edited_at),
    ...(reply && { answer: reply }),
  };
}

export function parseMessageLine(line: Fields, fallback: Date): ImportedMessage {
  const { status } = line;
  return {
    ...parseReader(line, fallback),
    status: status === "read" || status === "refused" ? status : "waiting",
    page: textOrEmpty(line.page),
  };
}

function parseReader({ name, address, text, at }: Fields, fallback: Date) {
  return {
    ...{ name: textOrEmpty(name), address: textOrEmpty(address), text: textOrEmpty(text) },
    at: parseDate(at) ?? fallback,
  };
}

export function archivePostKey({ about }: ArchiveContext, id: unknown): string {
  return `platen ${about.id} ${JSON.stringify(id)}`;
}

/** The post may have been deleted since. */
export function findPostId(context: ArchiveContext, id: unknown): number | undefined {
  return findRecord(context.platen, context.blog.id, "post", archivePostKey(context, id));
}

export function isPostPresent(context: ArchiveContext, { id, created_at }: Fields): boolean {
  if (findPostId(context, id) !== undefined) return true;
  if (!isArchiveOfBlog(context) || typeof id !== "number") return false;
  const post = findRow(context.platen, posts, { id, blogId: context.blog.id });
  // SQLite may have reused the id for another post.
  return post !== undefined && post.createdAt.getTime() === parseDate(created_at)?.getTime();
}

export function isArchiveOfBlog({ platen, blog, about }: ArchiveContext): boolean {
  return about.id === permanentIds(platen)("blog", blog.id);
}
