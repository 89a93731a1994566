import type { Found } from "../items/imported-item";
import type { Source } from "../sources/source";

/** How a format is told and read. */
export interface Format {
  readonly name: FormatName;
  /** What is brought in by it, to follow "import ". */
  readonly brings: string;
  recognises(source: Source): Promise<boolean>;
  /** The files that `read` goes through, each as often as it does: how far it is told by. */
  texts(source: Source): Promise<string[]> | string[];
  /** One after the other; nothing is held that has been given. */
  read(source: Source, reading: Reading): AsyncIterable<Found>;
}

export interface Reading {
  /** What times are in that do not say. */
  zone: string;
  /** When the source is read: texts that have expired by then are not published. */
  at: Date;
  /** The old site's address, where its owner has said it; null: it is what the source says, or nothing. */
  site: string | null;
  /** Is what is there wanted of a file that ends early? */
  isPartial: boolean;
}

/** As they are typed, in the order in which they are tried where nobody says which it is: the one that is told most surely first. */
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
