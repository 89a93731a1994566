import type { ImportedKomment } from "../../../komments/writing-and-importing-komments";
import type { ImportedMessage } from "../../../messages";
import type { PostRow } from "../../../posts/post/post";
import type { PostChanges } from "../../../posts/writing/post-input";
import type { RevisionFields } from "../../../posts/writing/revisions";
import { percentDecoded } from "../../../text/clean-text";
import { readText, type Source, SourceError } from "../sources/source-files";
import { childText, readXmlElements, type XmlElement, XmlError } from "../sources/xml-reader";

export interface ImportFormat {
  readonly name: FormatName;
  /** Finds the files with posts; an empty list if the source has another format. */
  find(source: Source): Promise<string[]> | string[];
  read(source: Source, paths: string[], options: ReadOptions): AsyncIterable<ImportEntry>;
}

export interface ReadOptions {
  /** For dates without an offset. */
  zone: string;
  /** Start time of the import. Posts that have expired by then are not published. */
  at: Date;
  /** URL of the old site; null if unknown. */
  site: string | null;
  isPartial: boolean;
}

export type FormatName =
  | "platen"
  | "wordpress"
  | "ghost"
  | "bar"
  | "substack"
  | "medium"
  | "bear"
  | "pagecord"
  | "feed"
  | "markdown";

export interface ImportedItem {
  /** Identifies the item in a second import. */
  key: string;
  name: string;
  type: PostRow["type"];
  title: string;
  /** May be longer than MAX_SUMMARY_LENGTH. */
  summary: string;
  pinned: boolean;
  content: string;
  contentType: "html" | "markdown";
  status: PostRow["status"];
  publishedAt: Date | null;
  /** If null, the publication date or the start of the import is used. */
  createdAt: Date | null;
  updatedAt: Date | null;
  /** If null, the slug is derived from the URL or the title. */
  slug: string | null;
  /** Absolute URLs, or paths on the old site ("/2013/05/tea/", "/?p=7"). The first is the permalink. */
  previousUrls: string[];
  category: string | null;
  tags: string[];
  /** Language tag as in the source; may be invalid. */
  language: string | null;
  translationKey: string | null;
  hidden: boolean;
  kommentsDisabled: boolean;
  komments: ImportedKomment[];
  /** Oldest first. */
  previousVersions: PreviousVersion[];
  base: string;
  /** An image shown above the content, unless the content contains it. */
  featured: ImportedPicture | null;
  /** Alt texts and captions that are not in the content, by URL. */
  pictures: Map<string, Omit<ImportedPicture, "address">>;
  /** Fields that other formats lack; null unless Platen exported the item. File names are as in the source. */
  own: PostChanges | null;
  lost: string[];
}

export interface PreviousVersion {
  replacedAt: Date;
  /** The revision's fields without content. File names are as in the source. */
  fields: RevisionFields;
  /** null if the next version has the same content. */
  source: Pick<ImportedItem, "content" | "contentType"> | null;
}

export interface ImportedPicture {
  address: string;
  /** Alt text: null if unknown, "" for a decorative image. */
  alt: string | null;
  caption: string;
}

export type ImportEntry =
  | { item: ImportedItem }
  | { message: ImportedMessage }
  | { error: ItemError }
  | { skipped: string; name?: string };

export interface ItemError {
  name: string;
  reason: string;
}

export async function entryOrError<Given extends ImportEntry | null>(
  name: string,
  read: () => Given | Promise<Given>,
): Promise<Given | ImportEntry> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError) return { error: { name, reason: error.message } };
    if (error instanceof RangeError) return { error: { name, reason: "is nested too deeply." } };
    // An object whose `toString` is not a function cannot be converted to a text or number.
    if (error instanceof TypeError) return { error: { name, reason: "contains an invalid value." } };
    throw error;
  }
}

export async function* itemPerFile(
  source: Source,
  paths: string[],
  itemOf: (path: string, text: string) => ImportedItem,
): AsyncGenerator<ImportEntry> {
  for (const path of paths)
    yield await entryOrError(path, async () => ({ item: itemOf(path, await readText(source, path)) }));
}

/** Yields the error of a truncated file after all readable elements. */
export async function* entryPerElement(
  source: Source,
  path: string,
  names: string[],
  entryOf: (element: XmlElement) => ImportEntry | null,
): AsyncGenerator<ImportEntry> {
  try {
    for await (const element of readXmlElements(source.bytes(path), names)) {
      const entry = await entryOrError(childText(element, "title").trim() || path, () => entryOf(element));
      if (entry) yield entry;
    }
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    yield { error: { name: path, reason: error.message } };
  }
}

const SOURCE = "source://files/";

export function sourceFileUrl(path: string): string {
  return SOURCE + path.split("/").map(encodeURIComponent).join("/");
}

/** "source://files/a/b.jpg" → "a/b.jpg"; null for other URLs. */
export function sourceFilePath(address: string): string | null {
  return address.startsWith(SOURCE) ? decodePath(address.slice(SOURCE.length)) : null;
}

/** For a preview: the sanitizer removes the URLs of source files. */
export function withPreviewUrls(content: string): string {
  return content.replaceAll(SOURCE, "/");
}

/** Removes query and fragment. Leaves invalid percent-encoding unchanged. */
export function decodePath(path: string): string {
  const end = path.search(/[?#]/);
  const bare = end < 0 ? path : path.slice(0, end);
  return percentDecoded(bare) ?? bare;
}

type NewItem = Partial<ImportedItem> &
  Pick<ImportedItem, "key" | "name" | "content" | "contentType" | "base"> & { at?: Date | null };

/** @param at publication date, or the only known date of a draft */
export function createItem({ at = null, ...known }: NewItem): ImportedItem {
  return {
    ...{ type: "post", status: "published", title: "", summary: "", slug: null, category: null, tags: [] },
    ...{ createdAt: at, publishedAt: known.status === "draft" ? null : at, updatedAt: null },
    ...{ language: null, translationKey: null, featured: null, own: null },
    ...{ pinned: false, hidden: false, kommentsDisabled: false },
    ...{ previousUrls: [], komments: [], previousVersions: [], lost: [], pictures: new Map() },
    ...known,
  };
}
