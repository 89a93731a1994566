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
import { nextTurn } from "../../next-turn";
import type { Database, Platen } from "../../platen";
import { SECOND } from "../../units";
import { workerQueues } from "../../worker-queue";
import { longContentInTurns } from "../parts/long-contents";
import { mergeIndex, mergingBeside } from "./index-merging";
import { indexedText, searchText } from "./indexed-text";
import { searchQuery } from "./search-query";

/** Of the texts that may wait, together, in characters. */
const MOST_WAITING = 1_200_000;
/**
 * What a save takes in, as `costOf` tells it: this keeps others waiting for some 25 ms. Of signs it is more than may wait;
 * what is left goes with the next saves.
 */
const MOST_WITH_A_SAVE = 1_250_000;
/** The same where nobody saves. */
const MOST_IN_A_PART = 600_000;
/** What a post costs besides its words, in characters of them. */
const COST_OF_A_POST = 500;
/** To make a long text's words ready, in milliseconds: forty times what it takes. */
const WORDS_WITHIN = 10 * SECOND;

/** A post, and which version of its content. */
interface Version {
  id: number;
  contentVersion: number;
}

/** Database → characters that this process has left waiting. */
const waiting = new WeakMap<Database, number>();

/**
 * Has whoever searches find the post by what it says now. To be called in the transaction that writes it.
 * @param characters of its text
 */
export function indexLater(platen: Platen, postId: number, characters: number): void {
  wait(platen).run(postId);
  const now = (waiting.get(platen.db) ?? 0) + COST_OF_A_POST + characters;
  waiting.set(platen.db, now);
  if (now < MOST_WAITING) return;
  waiting.delete(platen.db);
  beforeCommit(platen, () => {
    if (takeTogether(platen, MOST_WITH_A_SAVE)) waiting.set(platen.db, MOST_WAITING);
  });
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
export function indexIfWaiting(platen: Platen, { id, contentVersion }: Version, text: string): void {
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

/** Takes in all that waits, in one go; nobody sees the difference. For a command, and at a server's end. */
export function indexWaiting(platen: Platen): void {
  while (takeTogether(platen, MOST_WITH_A_SAVE, { withLong: true }));
  forgetWaiting(platen);
}

/** Database → what takes in what waits there. */
const takingIn = new WeakMap<Database, Promise<boolean>>();

/**
 * The same in turns, but for long texts that saves which are under way take in themselves. To be called when a server
 * starts, and every minute.
 * @returns whether nothing waits any more: another process may be writing
 */
export function indexInTurns(platen: Platen): Promise<boolean> {
  return takingIn.getOrInsertComputed(platen.db, () => takeAllIn(platen));
}

async function takeAllIn(platen: Platen): Promise<boolean> {
  // Whoever called has to know of it before it is over.
  await null;
  try {
    const failed = new Set<number>();
    while (isAnyWaiting(platen).get() !== null) {
      await mergingBeside(platen);
      let isMore = false;
      const isDone = unlessLocked(platen, () => {
        isMore = takeTogether(platen, MOST_IN_A_PART);
      });
      const long = isDone && !isMore ? longWaiting(platen).get(butForSaves(platen, failed)) : null;
      if (long && !(await takeLongIn(platen, long).catch(() => false))) failed.add(long.id);
      if (isMore) await nextTurn();
      if (!isMore && !long) break;
    }
    const isAll = isAnyWaiting(platen).get() === null;
    if (isAll) forgetWaiting(platen);
    return isAll;
  } finally {
    takingIn.delete(platen.db);
  }
}

/** Its words are made ready beside the server, as a save does: on the spot they would keep all waiting for 0.2 s. @returns whether it could write */
async function takeLongIn(platen: Platen, post: WaitingLong): Promise<boolean> {
  const { text } = await longContentInTurns(platen, post.longId, ["text"]);
  const cost = { within: WORDS_WITHIN, characters: text.length, source: "index" };
  const words = await workerQueues.authors.run<typeof indexedText>("indexedText", cost, text);
  await mergingBeside(platen);
  return unlessLocked(platen, () => indexIfWaiting(platen, post, words));
}

/** Database → the posts whose long texts saves that are under way take in themselves, and in which version. */
const ofSaves = new WeakMap<Database, Map<number, number>>();

/** The save that is under way takes the post's words in itself; where it is changed once more meanwhile, nobody does. */
export function leaveToSave({ db }: Platen, { id, contentVersion }: Version): void {
  ofSaves.getOrInsertComputed(db, () => new Map()).set(id, contentVersion);
}

export function leaveNoMore({ db }: Platen, { id, contentVersion }: Version): void {
  if (ofSaves.get(db)?.get(id) === contentVersion) ofSaves.get(db)?.delete(id);
}

function forgetWaiting({ db }: Platen): void {
  waiting.delete(db);
  searchedWithout.delete(db);
}

const isAnyWaiting = prepared((db) => db.$client.query("SELECT 1 FROM unindexed_posts LIMIT 1"));

/** @param most as `costOf` tells it, but for the last post @returns whether there is more of it */
function takeTogether(platen: Platen, most: number, { withLong = false } = {}): boolean {
  const others = withLong ? "[]" : butForSaves(platen);
  const some = (withLong ? anyWaiting : shortWaiting)(platen);
  if (some.get(others) === null) return false;
  let isMore = false;
  const together = platen.db.$client.inTransaction ? inTransaction : inUnsyncedTransaction;
  keepingUnlessSearched(platen, () =>
    together(platen, () => {
      isMore = takeSomeIn(platen, most, some.iterate(others));
    }),
  );
  void mergeIndex(platen);
  return isMore;
}

/** @returns the ids of the posts to pass over, as JSON */
function butForSaves(platen: Platen, failed: Iterable<number> = []): string {
  const left = (ofSaves.get(platen.db) ?? new Map<number, number>())
    .entries()
    .filter(([id, version]) => versionOf(platen).get(id)?.version === version)
    .map(([id]) => id);
  return JSON.stringify([...left, ...failed]);
}

const versionOf = prepared((db) =>
  db.$client.query<{ version: number }, [number]>(
    "SELECT content_version AS version FROM posts WHERE id = ?",
  ),
);

function keepingUnlessSearched(platen: Platen, takeIn: () => void): void {
  if (searchedWithout.has(platen.db)) takeIn();
  else keepingDataVersion(platen, takeIn);
}

/**
 * All words first: a trigger tells who waits no more, and SQLite has the index write out what it was given before each
 * statement that fires one, so that every post would be a part of its own.
 * @returns whether it left some
 */
function takeSomeIn(platen: Platen, most: number, all: Iterable<WaitingPost>): boolean {
  const taken: number[] = [];
  let left = most;
  let isMore = false;
  for (const { id, title, text } of all) {
    isMore = left <= 0;
    if (isMore) break;
    taken.push(id);
    const words = indexedText(text ?? "");
    if (text !== null) index(platen).run(id, searchText(title), words);
    left -= costOf(text ?? "", words);
  }
  for (const id of taken) waitNoMore(platen).run(id);
  return isMore;
}

/** In characters of prose. What a text grows by is signs, and letters that stand without spaces: each is a word, and takes longer. */
function costOf(text: string, words: string): number {
  return COST_OF_A_POST + words.length + 2 * Math.max(0, words.length - text.length);
}

interface WaitingPost {
  id: number;
  title: string;
  /** null: the post is deleted. */
  text: string | null;
}
interface WaitingLong extends Version {
  longId: number;
}

const BUT_FOR = "unindexed_posts.post_id NOT IN (SELECT value FROM json_each(?))";
const waitingPosts = (saying: string, which: string) =>
  prepared((db) =>
    db.$client.query<WaitingPost, [string]>(
      `SELECT unindexed_posts.post_id AS id, title, text FROM unindexed_posts
       LEFT JOIN posts ON posts.id = unindexed_posts.post_id AND deleted_at IS NULL
       LEFT JOIN ${saying} AS said ON said.post_id = posts.id WHERE ${which}`,
    ),
  );
const anyWaiting = waitingPosts("whole_contents", BUT_FOR);
const shortWaiting = waitingPosts("contents", `long_id IS NULL AND ${BUT_FOR}`);
const longWaiting = prepared((db) =>
  db.$client.query<WaitingLong, [string]>(
    `SELECT posts.id, content_version AS contentVersion, long_id AS longId FROM unindexed_posts
     CROSS JOIN posts ON posts.id = unindexed_posts.post_id AND deleted_at IS NULL
     CROSS JOIN contents ON contents.post_id = posts.id AND long_id IS NOT NULL WHERE ${BUT_FOR} LIMIT 1`,
  ),
);

/** Where something was searched for while something waited: it was saved in between, or could not be taken in. */
const searchedWithout = new WeakSet<Database>();

/**
 * As `searchQuery`; the index knows all that was saved, unless it cannot be written to: it is locked, or damaged.
 * @returns undefined where nothing is asked for, or blanks
 */
export async function wordsSought(platen: Platen, asked: string | undefined): Promise<string | undefined> {
  if (!asked?.trim()) return undefined;
  await indexInTurns(platen).catch(() => {});
  return searchQuery(asked, { isLarge: (lastId(platen).get()?.id ?? 0) > LARGE });
}

/** To be called with each question to the index: what waits then is found later, and was not before. */
export function searching(platen: Platen): void {
  if (isAnyWaiting(platen).get() !== null) searchedWithout.add(platen.db);
}

/**
 * Posts ever made. Whatever begins with two letters is half a second's work for FTS5 in an index of 100,000 posts, if in
 * turns, where words stand before it (a tenth of that where none does); what begins with three, a fourteenth.
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
