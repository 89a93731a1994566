import { wordsIn } from "../content/html-content";
import type { ImportedPicture } from "../items/imported-item";

/** What is known of a file that was uploaded to a WordPress; what is said of it as HTML. */
export interface WordpressFile {
  id: string;
  address: string;
  title: string;
  alt: string;
  caption: string;
  /** The post it was uploaded to. */
  parent: string;
}

/** Of what posts name and the export has not: *Posts* alone, without *Media*, is such a one. */
export const NOT_THERE = "which the export does not hold: that of All content does";

export interface WordpressFiles {
  withId(id: string): WordpressFile | undefined;
  /** In the order of the export. */
  uploadedTo(post: string): WordpressFile[];
  /** The whole picture that this is a smaller size of. */
  wholeOf(address: string): WordpressFile | undefined;
  /** What a block says that is used in several posts. */
  blockWithId(id: string): string | undefined;
}

/** As it is shown, with what is said of it as text. @throws SourceFault */
export function pictureOf({ address, alt, caption }: WordpressFile): ImportedPicture {
  return { address, alt: wordsIn(alt) || null, caption: wordsIn(caption) };
}
