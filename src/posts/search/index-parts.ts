/** What the search index consists of, as FTS5 writes it: see "FTS5 Data Structures" in SQLite's fts5_index.c. */
import { prepared } from "../../database/prepared";
import type { Platen } from "../../platen";

export interface Part {
  id: number;
  /** The number of its last page. */
  last: number;
  /** Posts that it holds, and of these, those that are gone. */
  posts: number;
  deleted: number;
}

/** Parts of about the same size. */
export interface Level {
  /** How many of them are being put together. */
  merging: number;
  parts: Part[];
}

/** By the structure record: behind four bytes, and four more, numbers. */
export function levelsOf(platen: Platen): Level[] {
  const block = structure(platen).get()?.block ?? new Uint8Array();
  const numbers = new Numbers(block, 8);
  const next = () => numbers.next();
  // A damaged one may tell of billions.
  const nextCount = () => Math.min(next(), block.length);
  const [count] = [nextCount(), next(), next()];
  return Array.from({ length: count }, () => {
    const merging = next();
    const parts = Array.from({ length: nextCount() }, () => {
      const [id = 0, , last = 0, , , , deleted = 0, posts = 0] = Array.from({ length: 8 }, next);
      return { id, last, posts, deleted };
    });
    return { merging, parts };
  });
}

const structure = prepared((db) =>
  db.$client.query<{ block: Uint8Array }, []>("SELECT block FROM post_search_data WHERE id = 10"),
);

/** Of seven bits in each byte: the last byte of a number has no eighth. Behind the end all are 0. */
export class Numbers {
  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  next(): number {
    let byte = this.bytes[this.at++] as number;
    let number = byte & 127;
    while (byte > 127) {
      byte = this.bytes[this.at++] as number;
      number = number * 128 + (byte & 127);
    }
    return number;
  }
}
