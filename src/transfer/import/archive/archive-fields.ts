import type { PostChanges } from "../../../posts/writing/post-changes";
import type { ThemeName } from "../../../themes/themes";

type Fields = Record<string, unknown>;

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
