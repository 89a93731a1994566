import type { ImportEntry } from "../items/imported-item";
import type { Source } from "../sources/source";

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
