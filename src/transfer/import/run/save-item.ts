import type { Account } from "../../../accounts/accounts";
import type { Blog } from "../../../blogs/blogs";
import { isRootSegment } from "../../../blogs/reserved-slugs";
import { LONGEST_SLUG, slugify } from "../../../blogs/slug";
import { attachmentSnippet } from "../../../media/attachment-element";
import type { StoredBlob } from "../../../media/files/blobs";
import type { Platen } from "../../../platen";
import { excerpt } from "../../../posts/content/excerpt";
import type { Post } from "../../../posts/post/post";
import {
  MAX_SUMMARY_LENGTH,
  MAX_TAGS,
  MAX_TITLE_LENGTH,
  MAX_TOPIC_NAME_LENGTH,
} from "../../../posts/post/post-limits";
import type { ImportedRevision } from "../../../posts/revisions/storing-revisions";
import { storeOldPaths } from "../../../posts/storage/old-slugs";
import { topicNamed } from "../../../posts/topics/topics";
import type { PostChanges } from "../../../posts/writing/post-changes";
import { type Saved, savePost } from "../../../posts/writing/saving";
import { fullAddress, isPictureAddress, type PicturedContent, picturedHtml } from "../content/html-content";
import { picturedMarkdown } from "../content/markdown-content";
import {
  decodedPath,
  type FormerVersion,
  type ImportedItem,
  type ImportedPicture,
  type OwnFields,
  pathInSource,
} from "../items/imported-item";
import { type ImportRow, madeBefore, recordMade } from "./import-records";
import { patiently } from "./item-processing";
import { type Belonging, type Piece, takeOverFirst } from "./komments-and-revisions";

/** An item's pictures, where they are and what is known of them; and its text, once it is known what becomes of each. */
export interface PicturedItem {
  pictures: (ImportedPicture & { put(blob: StoredBlob): void; leave(): void })[];
  content(): string;
  altText: Record<string, string>;
  /** What files are called here, by what they were called in the source. */
  renamed: Map<string, string>;
  /** The file that stood for it there, where the content shows it; null: none was chosen. */
  chosen(): string | null;
}

export function picturedItem(platen: Platen, item: ImportedItem): PicturedItem {
  const written = item.contentType === "html" ? picturedHtml(item.content) : picturedMarkdown(item.content);
  const altText: Record<string, string> = {};
  const before: string[] = [];
  const renamed = new Map<string, string>();
  const featuredAt = item.featured && fullAddress(item.featured.address, item.base);
  let chosen: string | null = null;
  const describe = ({ filename }: StoredBlob, alt: string | null) => {
    if (alt) altText[filename] ??= alt;
  };
  const inContent = picturesIn(written, item).map(({ picture, address, alt, caption }) => ({
    ...{ address, alt, caption },
    put: (blob: StoredBlob) => {
      describe(blob, alt);
      if (address === featuredAt) chosen = blob.filename;
      renamed.set(lastPart(pathInSource(address) ?? ""), blob.filename);
      picture.put(attachmentSnippet(platen, { ...blob, caption }));
    },
    // A file that is not in the source is named as the text names it.
    leave: () => pathInSource(address) === null && picture.leave(address),
  }));
  const featured = featuredOf(item, new Set(inContent.map(({ address }) => address)));
  const atTop = featured && {
    ...featured,
    put: (blob: StoredBlob) => {
      describe(blob, featured.alt);
      before.push(attachmentSnippet(platen, { ...blob, caption: featured.caption }));
    },
    leave: () => {},
  };
  const between = item.contentType === "html" ? "\n" : "\n\n";
  return {
    pictures: atTop ? [atTop, ...inContent] : inContent,
    content: () => [...before, written.text()].join(between),
    chosen: () => chosen,
    ...{ altText, renamed },
  };
}

/** Each former version that says something, with its pictures as those of the item. */
export function picturedVersions(platen: Platen, item: ImportedItem): Map<FormerVersion, PicturedItem> {
  const said = item.formerVersions.filter((version) => version.said !== null);
  const asItem = (version: FormerVersion) => ({ ...item, ...version.said, featured: null });
  return new Map(said.map((version) => [version, picturedItem(platen, asItem(version))]));
}

/** As it is kept. @param pictured what it says; undefined where it says nothing of its own */
export function readyVersion(
  { fields, replacedAt, said }: FormerVersion,
  pictured: PicturedItem | undefined,
): ImportedRevision {
  const nameOf = (filename: string) => pictured?.renamed.get(filename) ?? filename;
  const altText = Object.entries(fields.altText ?? {}).map(([filename, alt]) => [nameOf(filename), alt]);
  return {
    replacedAt,
    fields: {
      ...fields,
      altText: Object.fromEntries(altText),
      previewImage: fields.previewImage && nameOf(fields.previewImage),
      ...(said && { source: pictured?.content(), sourceType: said.contentType }),
    },
  };
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function picturesIn(written: PicturedContent, { base, pictures, own }: ImportedItem) {
  return written.pictures.flatMap((picture) => {
    const address = fullAddress(picture.address, base);
    // In one of Platen's own, a picture of another site was one before.
    if (address === null || (own && pathInSource(address) === null)) return [];
    const known = pictures.get(address);
    const [alt, caption] = [picture.alt || known?.alt || null, picture.caption || known?.caption || ""];
    return [{ picture, address, alt, caption }];
  });
}

function featuredOf({ featured, base }: ImportedItem, shown: Set<string>): ImportedPicture | null {
  const address = featured && fullAddress(featured.address, base);
  return address && isPictureAddress(address) && !shown.has(address) ? { ...featured, address } : null;
}

/** What is to be written of an item. */
export interface ReadyItem {
  item: ImportedItem;
  content: string;
  altText: Record<string, string>;
  renamed: Map<string, string>;
  chosen: string | null;
  belongings: Belonging[];
  /** Below the blog's address, its own first. */
  formerPaths: string[];
}

interface SavedItem {
  post: Post;
  warnings: string[];
}

/**
 * Writes the post with the first of what belongs to it, the addresses that lead to it, and that it was done: all of it
 * or nothing.
 * @returns null where it was there already
 * @throws Refusal (invalid, busy)
 */
export async function saveItem(
  platen: Platen,
  { blog, account, run }: { blog: Blog; account: Account; run: ImportRow },
  ready: ReadyItem,
  first: Piece,
): Promise<SavedItem | null> {
  const { item, formerPaths, belongings } = ready;
  const name = recordName(run.format, item);
  const changes = changesOf(ready);
  const request = () => ({ blog, before: null, changes, originalTimes: timesOf(run, item) });
  const commit = (save: () => Saved) => {
    if (madeBefore(platen, blog.id, "post", name) !== undefined) return null;
    const isNewCategory = changes.category && !topicNamed(platen, "category", blog.id, changes.category);
    const newTags = (changes.tags ?? []).filter((tag) => !topicNamed(platen, "tag", blog.id, tag));
    const { post, warnings } = save();
    storeOldPaths(platen, post, formerPaths);
    takeOverFirst(platen, run, name, post, first, belongings);
    recordMade(platen, run, "post", name, post.id);
    if (isNewCategory && post.category)
      recordMade(platen, run, "category", String(post.category.id), post.category.id);
    for (const tag of newTags) {
      const id = topicNamed(platen, "tag", blog.id, tag)?.id;
      if (id !== undefined) recordMade(platen, run, "tag", String(id), id);
    }
    return { post, warnings };
  };
  return await patiently(() => savePost(platen, { account }, request, commit));
}

/** What a second import knows it by. */
export function recordName(format: string, { key }: ImportedItem): string {
  return `${format} ${key}`;
}

/** Its addresses as paths below the blog's. */
export function formerPathsOf({ formerAddresses }: ImportedItem): string[] {
  return [...new Set(formerAddresses.map(formerPath).filter((path) => path !== null))];
}

/** What its address here would best be; undefined: made from its title. */
function wishedSlug({ slug }: ImportedItem, formerPaths: string[]): string | undefined {
  const wish = slug ?? slugIn(formerPaths[0]);
  return (wish && slugify(wish.slice(0, 2 * LONGEST_SLUG), LONGEST_SLUG)) || undefined;
}

export function changesOf(ready: ReadyItem): PostChanges {
  const { item, content, altText, formerPaths } = ready;
  const { type, status, publishedAt, contentType, category, pinned, hidden, kommentsDisabled } = item;
  return {
    ...{ type, status, publishedAt, content, contentType, altText, pinned, hidden, kommentsDisabled },
    title: item.title.slice(0, MAX_TITLE_LENGTH),
    summary: cutSummary(item.summary),
    slug: wishedSlug(item, formerPaths),
    category: category?.slice(0, MAX_TOPIC_NAME_LENGTH) ?? null,
    tags: item.tags.map((tag) => tag.slice(0, MAX_TOPIC_NAME_LENGTH)).slice(0, MAX_TAGS),
    previewImage: ready.chosen,
    ...(item.own && ownChanges(item.own, ready.renamed)),
  };
}

/** At the end of a word, with room for the "…". */
function cutSummary(summary: string): string {
  const whole = excerpt(summary, MAX_SUMMARY_LENGTH);
  return [...whole].length > MAX_SUMMARY_LENGTH ? excerpt(summary, MAX_SUMMARY_LENGTH - 1) : whole;
}

function ownChanges(own: OwnFields, renamed: Map<string, string>): PostChanges {
  const nameOf = (filename: string) => renamed.get(filename) ?? filename;
  const altText = Object.entries(own.altText).map(([filename, alt]) => [nameOf(filename), alt]);
  const { previewImage } = own;
  return {
    ...own,
    altText: Object.fromEntries(altText),
    previewImage: previewImage && nameOf(previewImage),
  };
}

/** What was changed elsewhere was changed before the import: whatever is later was changed here. */
function timesOf({ startedAt }: ImportRow, { createdAt, publishedAt, updatedAt }: ImportedItem) {
  const before = (time: Date | null) =>
    Math.min(time?.getTime() ?? Number.POSITIVE_INFINITY, startedAt.getTime());
  const said = createdAt ?? publishedAt;
  // Where one is scheduled, that is the only time some programs know besides its last change.
  const created = before(said && said > startedAt ? updatedAt : said);
  return {
    createdAt: new Date(created),
    updatedAt: new Date(Math.max(created, before(updatedAt ?? createdAt))),
  };
}

/** In characters: longer ones nobody has ever linked to. */
const LONGEST = 500;

/** "https://old.example/2013/05/tea/" → "2013/05/tea", ".../?p=7" → "?p=7"; null where nothing can lead from there. */
export function formerPath(address: string): string | null {
  const url = URL.parse(address, "http://somewhere.example/");
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const [, number] = /^\?((?:p|page_id)=\d{1,15})$/.exec(url.search) ?? [];
  const path = decodedPath(url.pathname).replace(/^\/|\/$/g, "");
  if (path === "" && number) return `?${number}`;
  return path === "" || path.length > LONGEST ? null : path;
}

/** Is it answered by something else here, whatever post was there? */
export function isTaken(path: string): boolean {
  const [first = ""] = path.split("/");
  return isRootSegment(first) || first.startsWith("@");
}

/** What the address ends with, as a wish for the one here: "2013/05/tea.html" → "tea". */
export function slugIn(path: string | undefined): string | null {
  if (path === undefined || path.startsWith("?")) return null;
  const last = path.split("/").at(-1) as string;
  return last.replace(/\.(?:html?|php|aspx?)$/i, "") || null;
}
