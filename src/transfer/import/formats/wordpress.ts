import { DomUtils } from "htmlparser2";
import { entryPerElement, type ImportedItem } from "../items/imported-item";
import { findFiles, type Source, SourceError } from "../sources/source";
import { childText, readXmlElements, XmlError, XmlTruncated } from "../sources/xml-reader";
import { uploadKey, WordpressFiles } from "../wordpress/wordpress-files";
import { readWordpressItem, type WordpressSite } from "../wordpress/wordpress-item";
import type { ImportFormat } from "./format";

/** WordPress's export (Tools → Export): WXR 1.0 to 1.2 in one or several files. */
export const wordpress: ImportFormat = {
  name: "wordpress",
  find: (source) => findFiles(source, /^(?:xml|wxr|rss)$/, isExport, 16_384),
  /** Reads the files twice, because uploads may come after their post or in another file. */
  async *read(source, paths, { zone, isPartial }) {
    const files = new WordpressFiles();
    const site = { address: "", zone, authors: new Set<string>(), firstIdByGuid: new Map(), files };
    for (const path of paths) await indexFile(source, path, site, isPartial);
    const usedFiles = new Set<string>();
    for (const path of paths)
      for await (const entry of entryPerElement(source, path, ["item"], (item) =>
        readWordpressItem(item, site),
      )) {
        if ("item" in entry) for (const file of filesUsedBy(entry.item)) usedFiles.add(file);
        yield entry;
      }
    for (let count = files.countUnused(usedFiles); count > 0; count--)
      yield { skipped: "uploads that no post or page uses" };
  },
};

function isExport(beginning: string): boolean {
  return beginning.includes("<rss") && /wordpress\.org\/export\/|<wp:wxr_version>/.test(beginning);
}

function* filesUsedBy({ content, featured }: ImportedItem): Generator<string> {
  if (featured) yield uploadKey(featured.address);
  for (const [, address = ""] of content.matchAll(/\s(?:src|href|poster)="([^"]{1,2000})"/g))
    yield uploadKey(address.replaceAll("&amp;", "&"));
}

/** @throws SourceError if the file is truncated and `isPartial` is false */
async function indexFile(
  source: Source,
  path: string,
  site: WordpressSite,
  isPartial: boolean,
): Promise<void> {
  const names = ["item", "wp:author", "wp:base_blog_url"];
  try {
    for await (const element of readXmlElements(source.bytes(path), names))
      if (element.name === "wp:base_blog_url") site.address ||= DomUtils.textContent(element).trim();
      else if (element.name === "wp:author") site.authors.add(childText(element, "wp:author_id").trim());
      else site.files.add(element);
  } catch (error) {
    if (error instanceof XmlTruncated && !isPartial)
      throw new SourceError(
        `${path}: ${error.message} Export the site again. Or import the readable part, with --partial or the checkbox in the admin.`,
      );
    // The second pass reports an XmlError.
    if (!(error instanceof XmlError)) throw error;
  }
}
