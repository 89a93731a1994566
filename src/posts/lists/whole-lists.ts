/**
 * What is known of a list as a whole, kept: how many posts it has, and all of them in their order. The latter for what no
 * index leads to: posts with words that many have, and pages far from both ends.
 */
import { nextTurn } from "../../next-turn";
import type { Platen } from "../../platen";
import { IdSet } from "../parts/id-set";
import { type Finding, KeptFindings } from "../parts/kept-findings";
import { nextToGoLive } from "../post/live";
import {
  amongThem,
  type Cursor,
  isPublished,
  type Order,
  type Place,
  placesOf,
  type Selection,
  walk,
} from "./list-order";
import { countPosts } from "./totals";

/** Of lists kept, in bytes: ten of 100,000 posts. */
const MOST_BYTES = 8 * 1024 * 1024;
const BYTES_OF_ID = 8;
/** Filters and objects, roughly. */
const BYTES_BESIDES = 1000;
/** Posts changed that are put in their new places one by one. */
const MOST_MOVED = 50;
/** Posts that are read in one turn: sorted by title, of 100,000 all would keep others waiting for 70 ms. */
const READ_IN_ONE_TURN = 5000;

/** Where the bound of a selection may be: no post's time of publication lies between. */
interface Times {
  from: number;
  until: number;
}

/** Its posts, ascending. */
class WholeList {
  readonly members: IdSet;

  constructor(
    readonly ids: number[],
    public times: Times,
  ) {
    this.members = IdSet.of(ids);
  }

  get size(): number {
    return this.ids.length * BYTES_OF_ID + this.members.size + BYTES_BESIDES;
  }
}

const lists = new KeptFindings<WholeList>(MOST_BYTES);

/** A page of a list, and how many posts are on all its pages: to be asked at once, before anything is written. */
export interface PageOfList {
  ids: number[];
  total(): number;
}

/** @param hits where the list is of these alone */
export function pageOfWholeList(
  platen: Platen,
  selection: Selection,
  order: Order,
  place: Place,
  hits?: IdSet,
): PageOfList {
  const { descending } = order;
  const { after, offset, limit } = place;
  const { ids: all, members } = lists.found(platen, wholeList(platen, selection, order));
  const first = descending ? all.length - 1 : 0;
  const start = after ? placeBehind(platen, all, selection, order, after) : first;
  if (start === null) {
    // Another process has changed it in this moment.
    lists.forget(platen);
    return pageOfWholeList(platen, selection, order, place, hits);
  }
  const ids: number[] = [];
  let left = offset;
  for (let at = start; at >= 0 && at < all.length && ids.length < limit; at += descending ? -1 : 1) {
    const id = all[at] as number;
    if (hits && !hits.has(id)) continue;
    if (left > 0) left--;
    else ids.push(id);
  }
  return { ids, total: () => (hits ? members.countShared(hits) : all.length) };
}

/** Is `pageOfWholeList` done without reading all of the list? */
export function isWholeListKept(platen: Platen, selection: Selection, order: Order): boolean {
  return lists.known(platen, wholeList(platen, selection, order)) !== undefined;
}

/** For `pageOfWholeList` to have it: these are all of its posts, in their order. */
export function keepWholeList(platen: Platen, selection: Selection, order: Order, ids: number[]): void {
  const all = order.descending ? ids.toReversed() : ids;
  const find = () => new WholeList(all, timesOf(platen, selection));
  lists.found(platen, { ...wholeList(platen, selection, order), find });
}

/** For `pageOfWholeList` to have it ready: what it does not find it reads in one, and keeps everybody waiting. */
export async function readInTurns(platen: Platen, selection: Selection, order: Order): Promise<void> {
  await lists.ready(platen, wholeList(platen, selection, order), async () => {
    const times = timesOf(platen, selection);
    // What is written meanwhile may be met twice.
    const ids = new Set<number>();
    let after: Cursor | undefined;
    do {
      if (after) await nextTurn();
      const read = placesOf(platen, selection, ascending(order), {
        after,
        offset: 0,
        limit: READ_IN_ONE_TURN,
      });
      for (const { id } of read) ids.add(id);
      after = read.length < READ_IN_ONE_TURN ? undefined : read.at(-1);
    } while (after);
    return new WholeList([...ids], times);
  });
}

function wholeList(platen: Platen, selection: Selection, { sort }: Order): Finding<WholeList> {
  const order = ascending({ sort });
  return {
    key: keyOf(sort, selection),
    find: () =>
      new WholeList(walk(platen, selection, order, { offset: 0, limit: -1 }), timesOf(platen, selection)),
    follow: (list, changed) =>
      isOfThatTime(list, selection) && isBroughtUpToDate(platen, list, selection, order, changed),
  };
}

/** Of totals kept, in bytes: a client may send any number of different filters. */
const MOST_BYTES_OF_TOTALS = 256 * 1024;
const totals = new KeptFindings<{ total: number; times: Times; size: number }>(MOST_BYTES_OF_TOTALS);

/** As `countPosts`, which may take some milliseconds, until a post is written. */
export function totalOf(platen: Platen, selection: Selection): number {
  return totals.found(platen, {
    key: keyOf("total", selection),
    find: () => ({
      total: countPosts(platen, selection),
      times: timesOf(platen, selection),
      size: BYTES_BESIDES,
    }),
    follow: (known, changed) => changed.length === 0 && isOfThatTime(known, selection),
  }).total;
}

const ascending = ({ sort }: Pick<Order, "sort">): Order => ({ sort, descending: false });

/** What is up to now, or from now on, stays the same while time goes on, until a post's comes. */
function keyOf(of: Order["sort"] | "total", selection: Selection): string {
  const bound = selection.until === undefined ? "from" : "until";
  return JSON.stringify([
    of,
    isPublished(selection) ? { ...selection, [bound]: selection[bound] && bound } : selection,
  ]);
}

function timesOf(platen: Platen, { from, until = from }: Selection): Times {
  if (until === undefined) return { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };
  return { from: until, until: nextToGoLive(platen, new Date(until - 1)) };
}

function isOfThatTime(
  { times }: { times: Times },
  { from, until = from ?? Number.POSITIVE_INFINITY }: Selection,
): boolean {
  return times.from <= until && until <= times.until;
}

/** @returns false where it is to be read anew */
function isBroughtUpToDate(
  platen: Platen,
  list: WholeList,
  selection: Selection,
  order: Order,
  changed: number[],
): boolean {
  if (changed.length === 0) return true;
  if (changed.length > MOST_MOVED) return false;
  const { ids, members } = list;
  // One of them may be the next whose time comes.
  list.times = timesOf(platen, selection);
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
