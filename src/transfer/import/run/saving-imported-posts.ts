import { posix } from "node:path";
import type { Account } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { MAX_SLUG_LENGTH, slugify } from "../../../blogs/slug";
import { MINUTE, SECOND } from "../../../config/units";
import { Refusal } from "../../../errors";
import { importKomments, type PreparedKomment } from "../../../komments/writing-and-importing-komments";
import { attachmentSnippet } from "../../../media/attachment-element";
import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { excerpt } from "../../../posts/content/plain-text-and-excerpts";
import {
  MAX_SUMMARY_LENGTH,
  MAX_TAGS,
  MAX_TITLE_LENGTH,
  MAX_TOPIC_NAME_LENGTH,
} from "../../../posts/post/post";
import { topicNamed } from "../../../posts/storage/categories-and-tags";
import { storeOldPaths } from "../../../posts/storage/slugs-and-permanent-ids";
import type { PostChanges } from "../../../posts/writing/post-input";
import { type ImportedRevision, importRevisions } from "../../../posts/writing/revisions";
import { type Saved, savePost } from "../../../posts/writing/saving";
import { isLanguage } from "../../../text/language-tags";
import { findHtmlMedia, isMediaUrl, resolveUrl } from "../items/html-content";
import { decodePath, type ImportedItem, type ImportedPicture, sourceFilePath } from "../items/imported-item";
import { findMarkdownMedia } from "../items/markdown-content";
import { addRecord, findRecord, type ImportRow, joinTranslations } from "./import-records";

interface PlacedMedia {
  content: string;
  altText: Record<string, string>;
  /** File name in the source → new file name. */
  renamed: Map<string, string>;
  previewImage: string | null;
}

/** Takes an absolute URL. Returns null to keep the URL. */
type FindFile = (address: string) => Promise<StoredBlob | null>;

/** Also prepares the previous versions. */
export async function prepareItem(platen: Platen, item: ImportedItem, find: FindFile) {
  const placed = await placeMedia(platen, item, find);
  const revisions: ImportedRevision[] = [];
  for (const { fields, replacedAt, source } of item.previousVersions) {
    const version = source && (await placeMedia(platen, { ...item, ...source, featured: null }, find));
    const content = version && { source: version.content, sourceType: source.contentType };
    const files = renameFiles(fields, version?.renamed ?? new Map());
    revisions.push({ replacedAt, fields: { ...fields, ...files, ...content } });
  }
  return { item, ...placed, revisions, formerPaths: previousPathsOf(item) };
}

async function placeMedia(platen: Platen, item: ImportedItem, find: FindFile): Promise<PlacedMedia> {
  const { base, pictures, own, featured } = item;
  const media = item.contentType === "html" ? findHtmlMedia(item.content) : findMarkdownMedia(item.content);
  const altText: Record<string, string> = {};
  const renamed = new Map<string, string>();
  let previewImage: string | null = null;
  const snippet = (blob: StoredBlob, { alt, caption }: Pick<ImportedPicture, "alt" | "caption">) => {
    if (alt) altText[blob.filename] ??= alt;
    return attachmentSnippet(platen, { ...blob, caption });
  };
  const featuredAt = featured && resolveUrl(featured.address, base);
  const addresses = media.pictures.map((picture) => resolveUrl(picture.address, base));
  const isAtTop = featuredAt && isMediaUrl(featuredAt) && !addresses.includes(featuredAt);
  const fileAtTop = isAtTop ? await find(featuredAt) : null;
  const before = featured && fileAtTop ? [snippet(fileAtTop, featured)] : [];
  for (const [at, picture] of media.pictures.entries()) {
    const address = addresses[at] ?? null;
    const inSource = address && sourceFilePath(address);
    // In Platen's own exports, files on other sites are not downloaded.
    if (address === null || (own && inSource === null)) continue;
    const known = pictures.get(address);
    const alt = picture.alt || known?.alt || null;
    const blob = await find(address);
    if (blob) {
      if (address === featuredAt) previewImage = blob.filename;
      renamed.set(posix.basename(inSource ?? ""), blob.filename);
      picture.replace(snippet(blob, { alt, caption: picture.caption || known?.caption || "" }));
    }
    // If a file is missing in the source, its path stays in the text.
    else if (inSource === null) picture.setUrl(address);
  }
  const between = item.contentType === "html" ? "\n" : "\n\n";
  return { content: [...before, media.text()].join(between), altText, renamed, previewImage };
}

type FileFields = Pick<PostChanges, "altText" | "previewImage">;

export function renameFiles(fields: FileFields, renamed: Map<string, string>) {
  const newName = (filename: string) => renamed.get(filename) ?? filename;
  const altTexts = Object.entries(fields.altText ?? {}).map(([name, alt]) => [newName(name), alt]);
  return {
    altText: Object.fromEntries(altTexts) as Record<string, string>,
    previewImage: fields.previewImage && newName(fields.previewImage),
  };
}

export interface PreparedItem extends PlacedMedia {
  item: ImportedItem;
  komments: PreparedKomment[];
  revisions: ImportedRevision[];
  /** Relative to the blog's URL. The first counts as the permalink. */
  formerPaths: string[];
}

/**
 * Saves the post, its komments, revisions, redirects and its record in one transaction.
 * @returns null if an earlier import has saved this item, even if the post was deleted since
 * @throws Refusal (see `savePost`)
 */
export async function saveItem(
  platen: Platen,
  { blog, account, run }: { blog: Blog; account: Account; run: ImportRow },
  ready: PreparedItem,
): Promise<Saved | null> {
  const { item, formerPaths, komments, revisions } = ready;
  const changes = toPostChanges(ready);
  const request = () => ({ blog, before: null, changes, originalTimes: originalTimes(run, item) });
  const commit = (save: () => Saved) => {
    if (isImported(platen, blog, run.format, item)) return null;
    const topicId = (kind: "category" | "tag", topic: string) => topicNamed(platen, kind, blog.id, topic)?.id;
    const topics = [
      ...(changes.category ? [["category", changes.category] as const] : []),
      ...(changes.tags ?? []).map((tag) => ["tag", tag] as const),
    ];
    const newTopics = topics.filter(([kind, topic]) => topicId(kind, topic) === undefined);
    const saved = save();
    const { post } = saved;
    storeOldPaths(platen, post, formerPaths);
    joinTranslations(platen, run, post, item.translationKey);
    importRevisions(platen, post.id, revisions);
    importKomments(platen, post, komments);
    addRecord(platen, run, "post", itemRecordName(run.format, item), post.id);
    for (const [kind, topic] of newTopics) {
      const id = topicId(kind, topic);
      if (id !== undefined) addRecord(platen, run, kind, String(id), id);
    }
    return saved;
  };
  return await retryWhileBusy(() => savePost(platen, { account }, request, commit));
}

/** True also if the post was deleted since. */
export function isImported(platen: Platen, blog: Blog, format: string, item: ImportedItem): boolean {
  return findRecord(platen, blog.id, "post", itemRecordName(format, item)) !== undefined;
}

const itemRecordName = (format: string, { key }: ImportedItem) => `${format} ${key}`;

function previousPathsOf({ previousUrls }: ImportedItem): string[] {
  return [...new Set(previousUrls.map(urlToPath).filter((path) => path !== null))];
}

export function toPostChanges(ready: Omit<PreparedItem, "komments" | "revisions">): PostChanges {
  const { item, content, altText, formerPaths } = ready;
  const { type, status, publishedAt, contentType, category, pinned, hidden, kommentsDisabled } = item;
  const slug = (item.slug ?? slugFromPath(formerPaths[0]) ?? "").slice(0, 2 * MAX_SLUG_LENGTH);
  return {
    ...{ type, status, publishedAt, content, contentType, altText, pinned, hidden, kommentsDisabled },
    title: item.title.slice(0, MAX_TITLE_LENGTH),
    summary: cutSummary(item.summary),
    slug: slugify(slug, MAX_SLUG_LENGTH) || undefined,
    category: category?.slice(0, MAX_TOPIC_NAME_LENGTH) ?? null,
    tags: item.tags.map((tag) => tag.slice(0, MAX_TOPIC_NAME_LENGTH)).slice(0, MAX_TAGS),
    previewImage: ready.previewImage,
    language: item.language !== null && isLanguage(item.language) ? item.language : null,
    ...item.own,
    ...(item.own && renameFiles(item.own, ready.renamed)),
  };
}

/** `excerpt` may append "…" beyond its limit. */
function cutSummary(summary: string): string {
  const whole = excerpt(summary, MAX_SUMMARY_LENGTH);
  return [...whole].length > MAX_SUMMARY_LENGTH ? excerpt(summary, MAX_SUMMARY_LENGTH - 1) : whole;
}

/** Not later than the start of the import, because undo treats later changes as edits. */
function originalTimes({ startedAt }: ImportRow, { createdAt, publishedAt, updatedAt }: ImportedItem) {
  const atMostStart = (time: Date | null) =>
    Math.min(time?.getTime() ?? Number.POSITIVE_INFINITY, startedAt.getTime());
  const creationTime = createdAt ?? publishedAt;
  // Some programs store no creation time for scheduled posts.
  const created = atMostStart(creationTime && creationTime > startedAt ? updatedAt : creationTime);
  const updated = Math.max(created, atMostStart(updatedAt ?? createdAt));
  return { createdAt: new Date(created), updatedAt: new Date(updated) };
}

const MAX_LENGTH = 500;

/**
 * "https://old.example/2013/05/tea/" → "2013/05/tea", ".../?p=7" → "?p=7"; null if Platen cannot redirect the
 * URL.
 */
function urlToPath(address: string): string | null {
  const url = URL.parse(address, "http://somewhere.example/");
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const [, number] = /^\?((?:p|page_id)=\d{1,15})$/.exec(url.search) ?? [];
  const path = decodePath(url.pathname).replace(/^\/|\/$/g, "");
  if (path === "" && number) return `?${number}`;
  return path === "" || path.length > MAX_LENGTH ? null : path;
}

function slugFromPath(path: string | undefined): string | null {
  if (path === undefined || path.startsWith("?")) return null;
  const last = path.split("/").at(-1) as string;
  return last.replace(/\.(?:html?|php|aspx?)$/i, "") || null;
}

/** After this wait, the import ends. A second run can continue it. */
const MAX_BUSY_WAIT_MS = 10 * MINUTE;
const RETRY_DELAY_SECONDS = 5;

/**
 * @param work must have no effect if it throws
 * @throws Refusal (busy) after MAX_BUSY_WAIT_MS
 */
export async function retryWhileBusy<Result>(work: () => Promise<Result> | Result): Promise<Result> {
  const until = performance.now() + MAX_BUSY_WAIT_MS;
  for (;;)
    try {
      return await work();
    } catch (error) {
      const isBusy = error instanceof Refusal && error.kind === "busy";
      if (!isBusy || performance.now() >= until) throw error;
      await Bun.sleep((error.retryAfter ?? RETRY_DELAY_SECONDS) * SECOND);
    }
}
