/**
 * All of a list in its order, kept: after a change only the posts that were written are looked at. For what no index leads
 * to: posts with words that many have, and pages far from both ends.
 */
import { BoundedMemory } from "../../bounded-memory";
import type { Database, Platen } from "../../platen";
import { changesSince } from "../parts/changed-posts";
import { nextToGoLive } from "../post/live";
import { IdSet } from "./id-set";
import { amongThem, type Cursor, isPublished, type Order, type Place, type Selection, walk } from "./walking";

/** Of lists kept, in bytes: ten of 100,000 posts. */
const MOST_BYTES = 8 * 1024 * 1024;
const BYTES_OF_ID = 8;
/** Filters and objects, roughly. */
const BYTES_BESIDES = 1000;
/** Posts changed that are put in their new places one by one. */
const MOST_MOVED = 50;
const ALL = { offset: 0, limit: -1 };

interface WholeList {
  /** Ascending. */
  ids: number[];
  /** The same. */
  members: IdSet;
  /** What `changesSince` is asked with. */
  seen: number;
  /** What `until` of the selection may be: no post's time of publication lies between. */
  from: number;
  until: number;
  size: number;
}

const memories = new WeakMap<Database, BoundedMemory<string, WholeList>>();

/** A page of a list, and how many posts are on all its pages. */
export interface PageWithTotal {
  ids: number[];
  total: number;
}

/** @param hits where the list is of these alone */
export function pageOfWholeList(
  platen: Platen,
  selection: Selection,
  order: Order,
  place: Place,
  hits?: IdSet,
): PageWithTotal {
  const { descending } = order;
  const { after, offset, limit } = place;
  const { ids: all, members } = wholeList(platen, selection, order.sort);
  const total = hits ? members.countShared(hits) : all.length;
  const first = descending ? all.length - 1 : 0;
  const start = after ? placeBehind(platen, all, selection, order, after) : first;
  // Another process has changed it in this moment.
  if (start === null) return forgetting(platen, () => pageOfWholeList(platen, selection, order, place, hits));
  const ids: number[] = [];
  let left = offset;
  for (let at = start; at >= 0 && at < all.length && ids.length < limit; at += descending ? -1 : 1) {
    const id = all[at] as number;
    if (hits && !hits.has(id)) continue;
    if (left > 0) left--;
    else ids.push(id);
  }
  return { ids, total };
}

function forgetting<Result>(platen: Platen, work: () => Result): Result {
  memories.get(platen.db)?.clear();
  return work();
}

function wholeList(
  platen: Platen,
  selection: Selection,
  sort: Order["sort"],
): Pick<WholeList, "ids" | "members"> {
  const order = { sort, descending: false };
  if (platen.db.$client.inTransaction) return readWhole(platen, selection, order);
  const memory = memories.get(platen.db) ?? new BoundedMemory<string, WholeList>(MOST_BYTES);
  memories.set(platen.db, memory);
  const key = keyOf(selection, sort);
  const kept = memory.get(key);
  const { ids: changed, now } = changesSince(platen, kept?.seen);
  const isKept =
    kept &&
    changed &&
    isOfThatTime(kept, selection) &&
    isBroughtUpToDate(platen, kept, selection, order, changed);
  const { ids, members } = isKept ? kept : readWhole(platen, selection, order);
  const size = ids.length * BYTES_OF_ID + members.size + BYTES_BESIDES;
  const list = { ids, members, seen: now, ...timesOf(platen, selection), size };
  memory.set(key, list);
  return list;
}

function readWhole(platen: Platen, selection: Selection, order: Order) {
  const ids = walk(platen, selection, order, ALL);
  return { ids, members: IdSet.of(ids) };
}

/** The time that is up goes on, and the list is the same until a post's time comes. */
function keyOf(selection: Selection, sort: Order["sort"]): string {
  return JSON.stringify([sort, isPublished(selection) ? { ...selection, until: undefined } : selection]);
}

function timesOf(platen: Platen, { until }: Selection): Pick<WholeList, "from" | "until"> {
  if (until === undefined) return { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  return { from: until, until: nextToGoLive(platen, new Date(until - 1)) };
}

function isOfThatTime(kept: WholeList, { until = Number.POSITIVE_INFINITY }: Selection): boolean {
  return kept.from <= until && until <= kept.until;
}

/** @returns false where it is to be read anew */
function isBroughtUpToDate(
  platen: Platen,
  { ids, members }: WholeList,
  selection: Selection,
  order: Order,
  changes: number[],
): boolean {
  const changed = [...new Set(changes)];
  if (changed.length === 0) return true;
  if (changed.length > MOST_MOVED) return false;
  for (const id of changed) {
    if (members.has(id)) ids.splice(ids.indexOf(id), 1);
    members.put(id, false);
  }
  // From the last one on: what follows in the list is in its place already.
  return amongThem(platen, selection, order, changed)
    .reverse()
    .every((post) => {
      const at = placeBehind(platen, ids, selection, order, post);
      if (at === null) return false;
      ids.splice(at, 0, post.id);
      members.put(post.id, true);
      return true;
    });
}

/** In a whole list, where what comes after the cursor begins. @returns null where the list is not as it was */
function placeBehind(
  platen: Platen,
  ids: readonly number[],
  selection: Selection,
  order: Order,
  after: Cursor,
): number | null {
  const [next] = walk(platen, selection, order, { after, offset: 0, limit: 1 });
  if (next === undefined) return order.descending ? -1 : ids.length;
  const at = ids.indexOf(next);
  return at < 0 ? null : at;
}
