import type { ImportEntry } from "../items/imported-item";
import type { Source } from "../sources/source";

export interface ImportFormat {
  readonly name: FormatName;
  /** Finds the files with posts; an empty list if the source has another format. */
  find(source: Source): Promise<string[]> | string[];
  /** Yields entries one by one, to save memory. @param paths the result of `find` */
  read(source: Source, paths: string[], options: ReadOptions): AsyncIterable<ImportEntry>;
}

export interface ReadOptions {
  /** Time zone of dates without an offset. */
  zone: string;
  /** Start time of the import. Posts that expired earlier are not published. */
  at: Date;
  /** URL of the old site; null if the user did not enter it. */
  site: string | null;
  /** Imports the readable part of a truncated file. */
  isPartial: boolean;
}

/** In the order of detection, most specific first. */
export const FORMAT_NAMES = [
  "platen",
  "wordpress",
  "ghost",
  "bar",
  "substack",
  "medium",
  "bear",
  "pagecord",
  "feed",
  "markdown",
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];
