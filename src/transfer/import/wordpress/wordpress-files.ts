import { htmlToText } from "../items/html-content";
import type { ImportedPicture } from "../items/imported-item";
import { childElements, childText, type XmlElement } from "../sources/xml-reader";

/** Alt text and caption are HTML. */
export interface WordpressFile {
  id: string;
  address: string;
  alt: string;
  caption: string;
}

export const NOT_IN_EXPORT = "missing in the export: export All content";

const SIZE_IN_NAME = /-\d{1,5}x\d{1,5}(?=\.[a-z0-9]{1,5}$)/i;
const SCALED = /-scaled(?=\.[a-z0-9]{1,5}$)/i;

/** Uploads and reusable blocks of all export files. */
export class WordpressFiles {
  readonly byId = new Map<string, WordpressFile>();
  readonly byPost = new Map<string, WordpressFile[]>();
  readonly blocksById = new Map<string, string>();
  private readonly byUrl = new Map<string, WordpressFile>();

  add(item: XmlElement): void {
    const id = childText(item, "wp:post_id");
    const type = childText(item, "wp:post_type");
    if (type === "wp_block") this.blocksById.set(id, childText(item, "content:encoded"));
    const address = childText(item, "wp:attachment_url").trim();
    if (type !== "attachment" || address === "") return;
    const alt = metaValue(item, "_wp_attachment_image_alt");
    const file = { id, address, alt, caption: childText(item, "excerpt:encoded").trim() };
    this.byId.set(id, file);
    this.byPost.getOrInsertComputed(childText(item, "wp:post_parent"), () => []).push(file);
    this.byUrl.set(withoutImageCdn(address), file);
    // WordPress shows a scaled copy of a large image, but names renditions after the original.
    this.byUrl.set(withoutImageCdn(address).replace(SCALED, ""), file);
  }

  /** @param address URL of the upload or of any of its renditions */
  originalOf(address: string): WordpressFile | undefined {
    const known = withoutImageCdn(address);
    return this.byUrl.get(known) ?? this.byUrl.get(known.replace(SIZE_IN_NAME, ""));
  }

  countUnused(usedKeys: Set<string>): number {
    return new Set(this.byUrl.keys().map(uploadKey)).difference(usedKeys).size;
  }
}

/** Equal for all renditions of an upload. */
export function uploadKey(address: string): string {
  return withoutImageCdn(address).replace(SIZE_IN_NAME, "").replace(SCALED, "");
}

function withoutImageCdn(address: string): string {
  const [bare = ""] = address.split(/(?<=\.(?:jpe?g|png|gif|webp|avif))\?/i, 1);
  return bare.replace(/^https?:/i, "").replace(/^\/\/i\d\.wp\.com\//i, "//");
}

export function imageOfFile({ address, alt, caption }: WordpressFile): ImportedPicture {
  return { address, alt: htmlToText(alt) || null, caption: htmlToText(caption) };
}

export function metaValue(item: XmlElement, key: string): string {
  return metaValues(item, key)[0] ?? "";
}

export function metaValues(item: XmlElement, key: string): string[] {
  return childElements(item, "wp:postmeta")
    .filter((one) => childText(one, "wp:meta_key") === key)
    .map((one) => childText(one, "wp:meta_value").trim());
}
