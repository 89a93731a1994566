import { DomUtils } from "htmlparser2";
import { entryOrError, type ImportEntry, type ImportedItem } from "../items/imported-item";
import { findFiles, type Source, SourceError } from "../sources/source";
import { childText, readXmlElements, XmlError, XmlTruncated } from "../sources/xml-reader";
import { readAttachment, type WordpressFile, type WordpressFiles } from "../wordpress/wordpress-files";
import { readWordpressItem, type WordpressSite } from "../wordpress/wordpress-item";
import type { ImportFormat, ReadOptions } from "./format";

/** WordPress's export (Tools → Export): WXR 1.0 to 1.2 in one or several files. */
export const wordpress: ImportFormat = {
  name: "wordpress",
  find: (source) => findFiles(source, /^(?:xml|wxr|rss)$/, isExport, 16_384),
  read: readWordpress,
};

const SIZE_IN_NAME = /-\d{1,5}x\d{1,5}(?=\.[a-z0-9]{1,5}$)/i;
const SCALED = /-scaled(?=\.[a-z0-9]{1,5}$)/i;

/** Reads the files twice, because uploads may come after their post or in another file. */
async function* readWordpress(
  source: Source,
  paths: string[],
  { zone, isPartial }: ReadOptions,
): AsyncGenerator<ImportEntry> {
  const site: WordpressSite = { address: "", zone, authors: new Set(), firstIdByGuid: new Map() };
  const { files, all } = await indexUploads(source, paths, site, isPartial);
  const usedFiles = new Set<string>();
  for (const path of paths)
    try {
      for await (const item of readXmlElements(source.bytes(path), ["item"])) {
        const name = childText(item, "title").trim() || path;
        const found = await entryOrError(name, () => readWordpressItem(item, site, files));
        if (found && "item" in found) for (const file of filesUsedBy(found.item)) usedFiles.add(file);
        if (found) yield found;
      }
    } catch (error) {
      if (!(error instanceof XmlError)) throw error;
      yield { error: { name: path, reason: error.message } };
    }
  for (const file of all) if (!usedFiles.has(file)) yield { skipped: "uploads that no post or page uses" };
}

function* filesUsedBy({ content, featured }: ImportedItem): Generator<string> {
  if (featured) yield uploadKey(featured.address);
  for (const [, address = ""] of content.matchAll(/\s(?:src|href|poster)="([^"]{1,2000})"/g))
    yield uploadKey(address.replaceAll("&amp;", "&"));
}

function withoutImageCdn(address: string): string {
  const [bare = ""] = address.split(/(?<=\.(?:jpe?g|png|gif|webp|avif))\?/i, 1);
  return bare.replace(/^https?:/i, "").replace(/^\/\/i\d\.wp\.com\//i, "//");
}

function uploadKey(address: string): string {
  return withoutImageCdn(address).replace(SIZE_IN_NAME, "").replace(SCALED, "");
}

function isExport(beginning: string): boolean {
  return beginning.includes("<rss") && /wordpress\.org\/export\/|<wp:wxr_version>/.test(beginning);
}

/** @throws SourceError if a file is truncated and `isPartial` is false */
async function indexUploads(
  source: Source,
  paths: string[],
  site: WordpressSite,
  isPartial: boolean,
): Promise<{ files: WordpressFiles; all: Set<string> }> {
  const byId = new Map<string, WordpressFile>();
  const byPost = new Map<string, WordpressFile[]>();
  const byAddress = new Map<string, WordpressFile>();
  const blocks = new Map<string, string>();
  for (const path of paths)
    try {
      for await (const element of readXmlElements(source.bytes(path), [
        "item",
        "wp:author",
        "wp:base_blog_url",
      ])) {
        if (element.name === "wp:base_blog_url") site.address ||= DomUtils.textContent(element).trim();
        else if (element.name === "wp:author") site.authors.add(childText(element, "wp:author_id").trim());
        if (element.name === "item" && childText(element, "wp:post_type") === "wp_block")
          blocks.set(childText(element, "wp:post_id"), childText(element, "content:encoded"));
        const file = element.name === "item" ? readAttachment(element) : null;
        if (!file) continue;
        byId.set(file.id, file);
        byAddress.set(withoutImageCdn(file.address), file);
        // WordPress shows a scaled copy of a large image, but names renditions after the original.
        byAddress.set(withoutImageCdn(file.address).replace(SCALED, ""), file);
        byPost.getOrInsertComputed(file.parent, () => []).push(file);
      }
    } catch (error) {
      if (error instanceof XmlTruncated && !isPartial)
        throw new SourceError(
          `${path}: ${error.message} Export the site again. Or import the readable part, with --partial or the checkbox in the admin.`,
        );
      // The second pass reports an XmlError.
      if (!(error instanceof XmlError)) throw error;
    }
  const files: WordpressFiles = {
    withId: (id) => byId.get(id),
    uploadedTo: (post) => byPost.get(post) ?? [],
    originalOf(address) {
      const known = withoutImageCdn(address);
      return byAddress.get(known) ?? byAddress.get(known.replace(SIZE_IN_NAME, ""));
    },
    blockWithId: (id) => blocks.get(id),
  };
  return { files, all: new Set([...byAddress.keys()].map(uploadKey)) };
}
