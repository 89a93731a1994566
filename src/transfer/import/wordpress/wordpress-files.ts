import { htmlToText } from "../content/html-content";
import type { ImportedPicture } from "../items/imported-item";

/** An upload. Alt text and caption are HTML. */
export interface WordpressFile {
  id: string;
  address: string;
  title: string;
  alt: string;
  caption: string;
  parent: string;
}

/** WordPress exports of only Posts contain no media. */
export const NOT_IN_EXPORT = "missing in the export: export All content";

export interface WordpressFiles {
  withId(id: string): WordpressFile | undefined;
  uploadedTo(post: string): WordpressFile[];
  /** @returns the upload for the URL of any of its renditions */
  wholeOf(address: string): WordpressFile | undefined;
  /** @returns the HTML of a reusable block */
  blockWithId(id: string): string | undefined;
}

export function imageOfFile({ address, alt, caption }: WordpressFile): ImportedPicture {
  return { address, alt: htmlToText(alt) || null, caption: htmlToText(caption) };
}
