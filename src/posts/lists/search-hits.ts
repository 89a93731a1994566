/** Which posts have the words that somebody looks for, kept: after a change only the posts that were written are asked about. */
import { BoundedMemory } from "../../bounded-memory";
import { prepared } from "../../database/prepared";
import type { Database, Platen } from "../../platen";
import { ANY, changesSince } from "../parts/changed-posts";
import { IdSet } from "./id-set";

/** Of hits kept, in bytes: those of a word take one for eight posts. */
const MOST_BYTES = 1024 * 1024;
/** Objects and words, roughly. */
const BYTES_BESIDES = 500;
/** Posts changed that are asked about one by one: for a word that goes on, each costs a quarter of finding all. */
const MOST_ASKED = 3;

interface Hits {
  ids: IdSet;
  /** What `changesSince` is asked with. */
  seen: number;
  size: number;
}

const memories = new WeakMap<Database, BoundedMemory<string, Hits>>();

/** @param words as `wordsSought` tells them. @returns what is not to be changed */
export function hitsOf(platen: Platen, words: string): IdSet {
  if (platen.db.$client.inTransaction) return found(platen, words);
  const memory = memories.get(platen.db) ?? new BoundedMemory<string, Hits>(MOST_BYTES);
  memories.set(platen.db, memory);
  const kept = memory.get(words);
  const { ids: changes, now } = changesSince(platen, kept?.seen);
  const changed = new Set(changes);
  changed.delete(ANY);
  const isKept = kept && changes && changed.size <= MOST_ASKED;
  const ids = isKept ? kept.ids : found(platen, words);
  if (isKept) for (const id of changed) ids.put(id, oneFound(platen).get(words, id) !== null);
  memory.set(words, { ids, seen: now, size: ids.size + BYTES_BESIDES });
  return ids;
}

function found(platen: Platen, words: string): IdSet {
  const rows = allFound(platen).values(words) as [number][];
  return IdSet.of(rows.map(([id]) => id));
}

const allFound = prepared((db) =>
  db.$client.query("SELECT rowid FROM post_search WHERE post_search MATCH ?"),
);
const oneFound = prepared((db) =>
  db.$client.query<unknown, [string, number]>(
    "SELECT rowid FROM post_search WHERE post_search MATCH ? AND rowid = ?",
  ),
);
