import { htmlToText } from "../content/html-content";
import type { ImportedPicture } from "../items/imported-item";
import { childElements, childText, type XmlElement } from "../sources/xml-reader";

/** Alt text and caption are HTML. */
export interface WordpressFile {
  id: string;
  address: string;
  alt: string;
  caption: string;
  parent: string;
}

export const NOT_IN_EXPORT = "missing in the export: export All content";

export interface WordpressFiles {
  withId(id: string): WordpressFile | undefined;
  uploadedTo(post: string): WordpressFile[];
  /** @param address URL of the upload or of any of its renditions */
  originalOf(address: string): WordpressFile | undefined;
  blockWithId(id: string): string | undefined;
}

export function imageOfFile({ address, alt, caption }: WordpressFile): ImportedPicture {
  return { address, alt: htmlToText(alt) || null, caption: htmlToText(caption) };
}

export function readAttachment(item: XmlElement): WordpressFile | null {
  const address = childText(item, "wp:attachment_url").trim();
  if (childText(item, "wp:post_type") !== "attachment" || address === "") return null;
  return {
    id: childText(item, "wp:post_id"),
    address,
    alt: metaValue(item, "_wp_attachment_image_alt"),
    caption: childText(item, "excerpt:encoded").trim(),
    parent: childText(item, "wp:post_parent"),
  };
}

export function metaValue(item: XmlElement, key: string): string {
  return metaValues(item, key)[0] ?? "";
}

export function metaValues(item: XmlElement, key: string): string[] {
  return childElements(item, "wp:postmeta")
    .filter((one) => childText(one, "wp:meta_key") === key)
    .map((one) => childText(one, "wp:meta_value").trim());
}
