/**
 * The search index takes words in for many posts together, which costs a third of the time, and a fraction of the log, of
 * one by one. Which posts those are is written with them, so that none is forgotten, and whoever searches waits for them.
 */
import { sql } from "drizzle-orm";
import { keepingDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import {
  beforeCommit,
  inTransaction,
  inUnsyncedTransaction,
  unlessLocked,
} from "../../database/transactions";
import type { Database, Platen } from "../../platen";
import { mergeIndex } from "./index-merging";
import { indexedText, searchQuery, searchText } from "./search-text";

/** Of the texts that may wait, together, in characters; to take them in keeps others waiting for some 25 ms. */
const MOST_WAITING = 1_200_000;
/** Posts that are taken in together. */
const AT_ONCE = 500;
/** Of their words, in characters, where nobody waits for them: six milliseconds or so. A text of signs has ten times its own. */
const MOST_IN_A_PART = 300_000;

/** Database → characters that this process has left waiting. */
const waiting = new WeakMap<Database, number>();

/**
 * Has whoever searches find the post by what it says now. To be called in the transaction that writes it.
 * @param characters of its text
 */
export function indexLater(platen: Platen, postId: number, characters: number): void {
  wait(platen).run(postId);
  const now = (waiting.get(platen.db) ?? 0) + characters;
  waiting.set(platen.db, now);
  if (now < MOST_WAITING) return;
  waiting.delete(platen.db);
  beforeCommit(platen, () => void indexWaiting(platen));
}

const wait = prepared((db) => db.$client.query("INSERT OR IGNORE INTO unindexed_posts VALUES (?)"));

/**
 * Makes the post findable at once. To be called in the transaction that writes it.
 * @param text `indexedText` of the post's
 */
export function indexPost(platen: Platen, post: { id: number; title: string }, text: string): void {
  index(platen).run(post.id, searchText(post.title), text);
  waitNoMore(platen).run(post.id);
}

const index = prepared((db) =>
  db.$client.query("INSERT OR REPLACE INTO post_search (rowid, title, content) VALUES (?, ?, ?)"),
);
const waitNoMore = prepared((db) => db.$client.query("DELETE FROM unindexed_posts WHERE post_id = ?"));

/**
 * To be called in the transaction that removes the post. The words stay in the index until its part is written anew, which
 * is begun here: left until nothing else is in the part, that is read whole in one turn, seconds for 100,000 posts.
 */
export function removeFromIndex(platen: Platen, postId: number): void {
  platen.db.run(sql`DELETE FROM post_search WHERE rowid = ${postId}`);
  waitNoMore(platen).run(postId);
  void mergeIndex(platen);
}

/** To be called at the end of a transaction that deletes the post, and in which another request may have brought it back. */
export function removeDeletedFromIndex(platen: Platen, postId: number): void {
  if (deletedPost(platen).get(postId)) removeFromIndex(platen, postId);
}

const deletedPost = prepared((db) =>
  db.$client.query("SELECT 1 FROM posts WHERE id = ? AND deleted_at IS NOT NULL"),
);

/**
 * Takes a long text in once it is saved, for it takes a turn of its own; nobody sees the difference. What was saved
 * meanwhile, or is taken in already, is left alone.
 * @param text `indexedText` of what the post says
 */
export function indexIfWaiting(
  platen: Platen,
  { id, contentVersion }: { id: number; contentVersion: number },
  text: string,
): void {
  keepingUnlessSearched(platen, () =>
    inUnsyncedTransaction(platen, () => {
      const post = waitingPost(platen).get(id, contentVersion);
      if (post) indexPost(platen, post, text);
    }),
  );
}

const waitingPost = prepared((db) =>
  db.$client.query<{ id: number; title: string }, [number, number]>(
    `SELECT id, title FROM posts WHERE id = ? AND content_version = ? AND deleted_at IS NULL
     AND EXISTS (SELECT 1 FROM unindexed_posts WHERE post_id = id)`,
  ),
);

/** Takes in what waits; nobody sees the difference. To be called when a server starts. */
export function indexWaiting(platen: Platen): void {
  while (isAnyWaiting(platen)) takeTogether(platen, Number.POSITIVE_INFINITY);
  forgetWaiting(platen);
}

/**
 * Some of it: to take in what a minute may bring would be one long turn, and so would a long text that a save is about to
 * take in. To be called every minute.
 * @returns whether there is more
 */
export function indexSomeWaiting(platen: Platen): boolean {
  const others = [...leftToSaves(platen)];
  if (isAnyWaiting(platen, others)) takeTogether(platen, MOST_IN_A_PART, others);
  if (isAnyWaiting(platen, others)) return true;
  if (others.length === 0) forgetWaiting(platen);
  return false;
}

/** Database → the posts whose long texts saves that are under way take in themselves. */
const ofSaves = new WeakMap<Database, Set<number>>();

export function leftToSaves({ db }: Platen): Set<number> {
  return ofSaves.getOrInsertComputed(db, () => new Set());
}

function forgetWaiting({ db }: Platen): void {
  waiting.delete(db);
  searchedWithout.delete(db);
}

/** @param most characters of words, but for the last post's @param others the ids of posts to pass over */
function takeTogether(platen: Platen, most: number, others: number[] = []): void {
  const together = platen.db.$client.inTransaction ? inTransaction : inUnsyncedTransaction;
  keepingUnlessSearched(platen, () => together(platen, () => takeSomeIn(platen, most, others)));
  void mergeIndex(platen);
}

function keepingUnlessSearched(platen: Platen, takeIn: () => void): void {
  if (searchedWithout.has(platen.db)) takeIn();
  else keepingDataVersion(platen, takeIn);
}

const isAnyWaiting = (platen: Platen, others: number[] = []) =>
  firstWaiting(platen).get(JSON.stringify(others)) !== null;
const BUT_FOR = "post_id NOT IN (SELECT value FROM json_each(?))";
const firstWaiting = prepared((db) =>
  db.$client.query(`SELECT 1 FROM unindexed_posts WHERE ${BUT_FOR} LIMIT 1`),
);

/**
 * All words first: a trigger tells who waits no more, and SQLite has the index write out what it was given before each
 * statement that fires one, so that every post would be a part of its own.
 */
function takeSomeIn(platen: Platen, most: number, others: number[]): void {
  const taken: number[] = [];
  let characters = 0;
  for (const { id, title, text } of someWaiting(platen).iterate(JSON.stringify(others))) {
    taken.push(id);
    const words = indexedText(text ?? "");
    if (text !== null) index(platen).run(id, searchText(title), words);
    characters += words.length;
    if (characters >= most) break;
  }
  for (const id of taken) waitNoMore(platen).run(id);
}

const someWaiting = prepared((db) =>
  db.$client.query<{ id: number; title: string; text: string | null }, [string]>(
    `SELECT unindexed_posts.post_id AS id, title, text FROM unindexed_posts
     LEFT JOIN posts ON posts.id = unindexed_posts.post_id AND deleted_at IS NULL
     LEFT JOIN whole_contents ON whole_contents.post_id = posts.id WHERE unindexed_posts.${BUT_FOR} LIMIT ${AT_ONCE}`,
  ),
);

/** Where something was searched for while what waited could not be taken in: it will be found then, and was not before. */
const searchedWithout = new WeakSet<Database>();

/** As `searchQuery`; the index knows all that was saved, unless it cannot be written to: it is locked, or damaged. */
export function wordsSought(platen: Platen, asked: string): string | null {
  try {
    if (!unlessLocked(platen, () => indexWaiting(platen))) searchedWithout.add(platen.db);
  } catch (fault) {
    if (platen.db.$client.inTransaction) throw fault;
    searchedWithout.add(platen.db);
  }
  return searchQuery(asked, { isLarge: (lastId(platen).get()?.id ?? 0) > LARGE });
}

/**
 * Posts ever made. Whatever begins with two letters is half a second's work for the index of 100,000 posts, if in turns;
 * what begins with three, a fourteenth of that.
 */
const LARGE = 20_000;
const lastId = prepared((db) =>
  db.$client.query<{ id: number | null }, []>("SELECT max(id) AS id FROM posts"),
);

/** Makes the index hold every post that is not deleted, and nothing else. @returns how many it lacked, and held besides */
export function repairIndex(platen: Platen): { lacked: number; extra: number } {
  const { db } = platen;
  indexWaiting(platen);
  const count = (from: string) =>
    db.$client.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${from}`).get()?.n ?? 0;
  const [lacking, besides] = [
    "posts WHERE deleted_at IS NULL AND id NOT IN (SELECT rowid FROM post_search)",
    "post_search WHERE rowid NOT IN (SELECT id FROM posts WHERE deleted_at IS NULL)",
  ] as const;
  const found = { lacked: count(lacking), extra: count(besides) };
  if (found.extra > 0) db.run(sql.raw(`DELETE FROM ${besides}`));
  if (found.lacked > 0) {
    db.run(sql.raw(`INSERT INTO unindexed_posts SELECT id FROM ${lacking}`));
    indexWaiting(platen);
  }
  return found;
}
