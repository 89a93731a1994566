/** What the search index was given in parts is put together beside everything else: FTS5 would do it in the midst of a save. */
import { keepingDataVersion } from "../../database/data-version";
import { WAIT_FOR_LOCK } from "../../database/open";
import { prepared } from "../../database/prepared";
import { changesOf, type runBeside } from "../../database/statement-beside";
import { inUnsyncedTransaction, unlessLocked } from "../../database/transactions";
import { nextTurn } from "../../next-turn";
import type { Database, Platen } from "../../platen";
import { MINUTE } from "../../units";
import { workerQueues } from "../../worker-queue";
import { type Level, levelsOf, type Part } from "./index-parts";

/** Pages of the index that are put together in one turn: a few milliseconds. For each turn twenty more are written. */
const MERGED_AT_ONCE = 200;
const MERGE = `INSERT INTO post_search (post_search, rank) VALUES ('merge', ${MERGED_AT_ONCE})`;
/** Rows that it changes where there is nothing to put together. */
const THE_REQUEST = 1;
/** Where the places of one word fill more of them together, it is not done here: FTS5 stops between words only. These take 25 ms. */
const MOST_OF_ONE_WORD = 4000;
/** FTS5 puts so many parts of a size together (migration 0013); fewer where so many in a hundred of their posts are gone. */
const PARTS_TOGETHER = 16;
const DELETED = 50;

interface Merging {
  ended: Promise<void>;
  isStopping: boolean;
}

const underWay = new WeakMap<Database, Merging>();

/**
 * Puts together what the index was given in parts, a little in each turn; nobody sees the difference. What is left undone
 * is done with the next.
 */
export function mergeIndex(platen: Platen): Promise<void> {
  const merging = underWay.getOrInsertComputed(platen.db, (db) => {
    const begun: Merging = { ended: Promise.resolve(), isStopping: false };
    begun.ended = mergeAll(platen, begun).finally(() => underWay.delete(db));
    return begun;
  });
  return merging.ended;
}

/** Leaves undone what is not done yet. @returns once none is under way */
export async function stopMerging({ db }: Platen): Promise<void> {
  const merging = underWay.get(db);
  if (!merging) return;
  merging.isStopping = true;
  await merging.ended;
}

async function mergeAll(platen: Platen, merging: Merging): Promise<void> {
  try {
    do await nextTurn();
    while (!merging.isStopping && (isLong(platen) ? await mergeBeside(platen, merging) : mergeHere(platen)));
  } catch {
    // It is closed, or damaged: whoever reads it is told.
  }
}

/** @returns whether there may be more */
function mergeHere(platen: Platen): boolean {
  let changes = 0;
  const work = () => {
    changes = changesOf(platen.db.$client, MERGE);
  };
  unlessLocked(platen, () => keepingDataVersion(platen, () => inUnsyncedTransaction(platen, work)));
  return changes > THE_REQUEST;
}

/**
 * The same in a thread. What is kept in memory is forgotten after it, as after any other's change: it is done once for some
 * hundreds of texts that say one word again and again, or millions that say it now and then.
 */
async function mergeBeside(platen: Platen, merging: Merging): Promise<boolean> {
  const cost = { within: MINUTE, characters: 0, source: "index" };
  const { filename } = platen.db.$client;
  const step = workerQueues.disk.run<typeof runBeside>("runBeside", cost, filename, MERGE, WAIT_FOR_LOCK);
  beside.set(platen.db, step);
  const { changes, took } = await step.finally(() => beside.delete(platen.db));
  // Whoever writes has the lock for as long as it had.
  if (!merging.isStopping) await Bun.sleep(took);
  return changes > THE_REQUEST;
}

/** Database → what is being put together in a thread, which has the database's lock meanwhile. */
const beside = new WeakMap<Database, Promise<unknown>>();

/** To be awaited by whoever would be refused the lock otherwise, and gives up then. */
export async function mergingBeside({ db }: Platen): Promise<void> {
  await beside.get(db)?.catch(() => {});
}

/** Database → the parts that were looked at last, and what was found. */
const lookedAt = new WeakMap<Database, { parts: string; isLong: boolean }>();

/** May the places of one word fill too many pages of what is put together next? */
function isLong(platen: Platen): boolean {
  if (platen.isCommand) return false;
  const levels = nextLevels(levelsOf(platen)).map(({ parts }) => JSON.stringify(parts.map(({ id }) => id)));
  const parts = levels.join();
  const known = lookedAt.get(platen.db);
  if (known?.parts === parts) return known.isLong;
  const isLong = levels.some((level) => (pagesOfLongest(platen).get(level)?.pages ?? 0) > MOST_OF_ONE_WORD);
  lookedAt.set(platen.db, { parts, isLong });
  return isLong;
}

const sumOf = (parts: Part[], what: "posts" | "deleted") => parts.reduce((sum, part) => sum + part[what], 0);

/**
 * The one that FTS5 chooses (fts5IndexMerge and fts5IndexFindDeleteMerge in its fts5_index.c), and those that it goes on to
 * in the same statement where that brings them their last part.
 */
function nextLevels(levels: Level[]): Level[] {
  const begun = levels.findIndex(({ merging }) => merging > 0);
  const open = begun < 0 ? levels : levels.slice(0, begun + 1);
  const count = ({ merging, parts }: Level) => merging || parts.length;
  const most = open.toSorted((a, b) => count(b) - count(a))[0];
  const isNext = most && (most.merging > 0 || count(most) >= PARTS_TOGETHER);
  const next = isNext
    ? most
    : open.find(({ parts }) => {
        const posts = sumOf(parts, "posts");
        return posts > 0 && sumOf(parts, "deleted") * 100 >= posts * DELETED;
      });
  if (!next) return [];
  return levels.filter((level) => level === next || level.parts.length >= PARTS_TOGETHER - 1);
}

/**
 * With a word that fills pages of a part goes a list of these, a byte or two for each (doclist-index). Where it is longer
 * than a page it is cut, and each piece begins with a one; where several words have such, they are taken for one.
 */
const pagesOfLongest = prepared((db) =>
  db.$client.query<{ pages: number | null }, [string]>(
    `SELECT sum((
       SELECT max(coalesce(max(length(block)), 0), total(iif(substr(block, 1, 1) = x'01', length(block), 0)))
       FROM post_search_data WHERE id BETWEEN (value << 37) + (1 << 36) AND (value << 37) + (1 << 36) + (1 << 31) - 1
     )) AS pages FROM json_each(?)`,
  ),
);
