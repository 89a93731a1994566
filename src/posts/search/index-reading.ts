/**
 * Which posts have a word, read from the pages of the index: FTS5 itself puts the places of all words that begin alike
 * together first, which takes five times as long.
 */
import { prepared } from "../../database/prepared";
import type { Platen } from "../../platen";
import { IdSet } from "../parts/id-set";
import { levelsOf, Numbers, type Part } from "./index-parts";

/**
 * What a transaction that is under way has given the index is not there yet.
 * @param word as the tokenizer has it
 * @param goesOn whether words that begin with it are meant too
 */
export function postsWithWord(platen: Platen, word: string, goesOn: boolean): IdSet {
  const found = new IdSet(0);
  const sought = Buffer.from(`0${word}`);
  const read = () => {
    for (const part of levelsOf(platen).flatMap(({ parts }) => parts)) {
      const having = postsOfPart(platen, part, sought, goesOn);
      if (having.count === 0) continue;
      for (const id of gonePosts(platen, part)) having.put(id, false);
      found.add(having);
    }
  };
  // As it is now, though another process puts parts together meanwhile.
  platen.db.$client.transaction(read)();
  return found;
}

/**
 * On a page stand where its first post is, if it goes on with the page before, and where its words end; the words with
 * their posts, each as what it has beyond the one before it; and where they begin.
 */
function postsOfPart(platen: Platen, { id, last }: Part, sought: Buffer, goesOn: boolean): IdSet {
  const posts = new IdSet(0);
  const start = pageBefore(platen).get(id, sought)?.page ?? 0;
  let word = Buffer.alloc(0);
  let isSought = false;
  for (const { block } of pages(platen).iterate({ id, start, last })) {
    const [goingOn, end] = [shortAt(block, 0), shortAt(block, 2)];
    const begins = wordsOn(block, end);
    if (isSought && goingOn > 0) addPosts(posts, block, goingOn, begins[0] ?? end);
    for (const [nth, begin] of begins.entries()) {
      const numbers = new Numbers(block, begin);
      const [alike, length] = [nth === 0 ? 0 : numbers.next(), numbers.next()];
      word = Buffer.concat([word.subarray(0, alike), block.subarray(numbers.at, numbers.at + length)]);
      isSought = (goesOn ? word.subarray(0, sought.length) : word).equals(sought);
      if (isSought) addPosts(posts, block, numbers.at + length, begins[nth + 1] ?? end);
      else if (word.compare(sought) > 0) return posts;
    }
  }
  return posts;
}

const shortAt = (block: Uint8Array, at: number) => (block[at] as number) * 256 + (block[at + 1] as number);

/** Where each of a page's words begins. */
function wordsOn(block: Uint8Array, from: number): number[] {
  const numbers = new Numbers(block, from);
  const begins: number[] = [];
  for (let begin = 0; numbers.at < block.length; begins.push(begin)) begin += numbers.next();
  return begins;
}

/** Of each, how much higher its id is than the one before it; how long the list of its places is, doubled; that list. */
function addPosts(posts: IdSet, block: Uint8Array, begin: number, end: number): void {
  const numbers = new Numbers(block, begin);
  for (let id = 0; numbers.at < end; ) {
    id += numbers.next();
    posts.put(id, true);
    const length = numbers.next() >> 1;
    numbers.at += length;
  }
}

/** That stand in the part, and are deleted or stand in a later one: a hash table of ids of four bytes, or of eight. */
function gonePosts(platen: Platen, { id }: Part): number[] {
  return gone(platen)
    .all(id)
    .flatMap(({ block }) => {
      const [bytes, width] = [Buffer.from(block), block[0] === 4 ? 4 : 8];
      const places = Array.from({ length: (block.length - 8) / width }, (_, nth) => 8 + nth * width);
      return places.map((at) => bytes.readUIntBE(at + width - 4, 4));
    })
    .filter((post) => post > 0);
}

const pageBefore = prepared((db) =>
  db.$client.query<{ page: number }, [number, Buffer]>(
    "SELECT pgno >> 1 AS page FROM post_search_idx WHERE segid = ? AND term <= ? ORDER BY term DESC LIMIT 1",
  ),
);
const pages = prepared((db) =>
  db.$client.query<{ block: Uint8Array }, [{ id: number; start: number; last: number }]>(
    "SELECT block FROM post_search_data WHERE id BETWEEN ($id << 37) + $start AND ($id << 37) + $last",
  ),
);
const gone = prepared((db) =>
  db.$client.query<{ block: Uint8Array }, [number]>(
    `SELECT block FROM post_search_data
     WHERE id BETWEEN (?1 + (1 << 16)) << 37 AND ((?1 + (1 << 16)) << 37) + (1 << 31) - 1`,
  ),
);
