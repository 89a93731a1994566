/** Which posts have the words that somebody looks for, kept: after a change only the posts that were written are asked about. */
import { BoundedMemory } from "../../bounded-memory";
import { prepared } from "../../database/prepared";
import type { Database, Platen } from "../../platen";
import { changesSince } from "../parts/changed-posts";

/** Of hits kept, in bytes: those of a word take one for eight posts. */
const MOST_BYTES = 1024 * 1024;
/** Objects and words, roughly. */
const BYTES_BESIDES = 500;
/** Posts changed that are asked about one by one; to begin with some letters costs the index a quarter of finding all. */
const MOST_ASKED = 3;

const memories = new WeakMap<Database, BoundedMemory<string, Hits>>();

/** @param words as `wordsSought` tells them */
export function hitsOf(platen: Platen, words: string): Hits {
  if (platen.db.$client.inTransaction) return found(platen, words);
  const memory = memories.get(platen.db) ?? new BoundedMemory<string, Hits>(MOST_BYTES);
  memories.set(platen.db, memory);
  const kept = memory.get(words);
  const { ids, now } = changesSince(platen, kept?.seen);
  const changed = new Set(ids);
  const hits = kept && ids && changed.size <= MOST_ASKED ? kept : found(platen, words);
  if (hits === kept) for (const id of changed) hits.note(id, oneFound(platen).get(words, id) !== null);
  hits.seen = now;
  memory.set(words, hits);
  return hits;
}

function found(platen: Platen, words: string): Hits {
  const rows = allFound(platen).values(words) as [number][];
  const hits = new Hits(rows.at(-1)?.[0] ?? 0);
  for (const [id] of rows) hits.note(id, true);
  return hits;
}

const allFound = prepared((db) =>
  db.$client.query("SELECT rowid FROM post_search WHERE post_search MATCH ? ORDER BY rowid"),
);
const oneFound = prepared((db) =>
  db.$client.query<unknown, [string, number]>(
    "SELECT rowid FROM post_search WHERE post_search MATCH ? AND rowid = ?",
  ),
);

/** A set of posts' ids, a bit for each id there may be. */
export class Hits {
  count = 0;
  /** What `changesSince` is asked with. */
  seen?: number;
  private bits: Uint8Array;

  constructor(highest: number) {
    this.bits = new Uint8Array((highest >> 3) + 1);
  }

  get size(): number {
    return this.bits.length + BYTES_BESIDES;
  }

  has(id: number): boolean {
    return (((this.bits[id >> 3] ?? 0) >> (id & 7)) & 1) === 1;
  }

  note(id: number, isHit: boolean): void {
    if (this.has(id) === isHit) return;
    if (id >> 3 >= this.bits.length) this.growTo(id);
    this.bits[id >> 3] = (this.bits[id >> 3] as number) ^ (1 << (id & 7));
    this.count += isHit ? 1 : -1;
  }

  ids(): number[] {
    return this.bits
      .entries()
      .flatMap(([at, byte]) =>
        byte === 0 ? [] : EIGHT.map((bit) => 8 * at + bit).filter((id) => this.has(id)),
      )
      .toArray();
  }

  private growTo(id: number): void {
    const { bits } = this;
    this.bits = new Uint8Array((id >> 3) + 128);
    this.bits.set(bits);
  }
}
const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];
