/** A page of a list, however far down, with words to look for or without. */
import type { Platen } from "../../platen";
import type { IdSet } from "../parts/id-set";
import { hitsOf, readHits } from "../search/search-hits";
import { amongThem, isByPublication, type Order, type Place, type Selection, walk } from "./list-order";
import { countBefore, countFrom, isCounted, periodOf, periodsOf, startOf } from "./totals";
import {
  isWholeListKept,
  keepWholeList,
  type PageOfList,
  pageOfWholeList,
  readInTurns,
  totalOf,
} from "./whole-lists";

/** Posts to pass over that are worth asking the counters: an index is gone through at 12 posts a microsecond. */
const FAR = 500;
/** Posts with the words: so few that it costs less to look at each than to read the list that they are in. */
const A_HANDFUL = 100;
/** The same where that list is kept: to go through all of it costs what ten posts do that were not read lately. */
const A_FEW = 10;

/** Which posts of a blog, and which words they have. */
export interface Search extends Selection {
  /** What `wordsSought` makes of words to look for. */
  words?: string;
}

/** As `walk`, for a page that may be far down; what it is found by is read with others in between. */
export async function pageInTurns(
  platen: Platen,
  search: Search,
  order: Order,
  place: Place,
): Promise<PageOfList> {
  const { words, ...selection } = search;
  if (words !== undefined) await readHits(platen, words);
  if (isOfWholeList(platen, selection, order, place, hitsAmong(platen, words)))
    await readInTurns(platen, selection, order);
  return pageAtOnce(platen, search, order, place);
}

/** The same, but what is to be read for it keeps everybody waiting. */
export function pageAtOnce(platen: Platen, search: Search, order: Order, place: Place): PageOfList {
  const { words, ...selection } = search;
  const hits = hitsAmong(platen, words);
  if (isOfWholeList(platen, selection, order, place, hits))
    return pageOfWholeList(platen, selection, order, place, hits);
  if (hits) return pageOfHits(platen, selection, order, place, hits);
  const ids = pageByIndex(platen, selection, order, place);
  if (isOfAKind(selection) && !place.after && place.offset === 0 && ids.length < place.limit)
    keepWholeList(platen, selection, order, ids);
  return { ids, total: () => totalOf(platen, selection) };
}

const hitsAmong = (platen: Platen, words: string | undefined) =>
  words === undefined ? undefined : hitsOf(platen, words);

/** All notes and all that has marks are gone through for a few of them, or none. */
const isOfAKind = ({ kind }: Selection) => kind !== undefined;

/** Does nothing shorter lead to it than all of the list? */
function isOfWholeList(
  platen: Platen,
  selection: Selection,
  order: Order,
  { offset, limit, after }: Place,
  hits?: IdSet,
): boolean {
  if (hits)
    return hits.count >= A_HANDFUL || (hits.count >= A_FEW && isWholeListKept(platen, selection, order));
  if (isOfAKind(selection) && isWholeListKept(platen, selection, order)) return true;
  if (offset < FAR || after || areCountersFor(selection, order)) return false;
  return totalOf(platen, selection) - offset - limit >= FAR;
}

/** Each is looked at. */
function pageOfHits(
  platen: Platen,
  selection: Selection,
  order: Order,
  { after, offset, limit }: Place,
  hits: IdSet,
): PageOfList {
  const all = amongThem(platen, selection, order, hits.ids(), after);
  const page = all.filter(({ isBehind }) => isBehind).slice(offset, offset + limit);
  return { ids: page.map(({ id }) => id), total: () => all.length };
}

/** As near to it as the counters lead, and from the end where that is nearer. */
function pageByIndex(platen: Platen, selection: Selection, order: Order, place: Place): number[] {
  const { offset, limit } = place;
  if (offset < FAR || place.after) return walk(platen, selection, order, place);
  const total = totalOf(platen, selection);
  const count = Math.min(limit, total - offset);
  if (count <= 0) return [];
  const left = total - offset - count;
  if (left >= FAR) return walkFromPeriod(platen, selection, order, place);
  if (left >= offset) return walk(platen, selection, order, place);
  const backwards = { ...order, descending: !order.descending };
  return walk(platen, selection, backwards, { offset: left, limit: count }).reverse();
}

/** Do periods lead to any place of the list? */
function areCountersFor(selection: Selection, order: Order): boolean {
  return isCounted(selection) && isByPublication(selection, order.sort);
}

/** Passes over whole periods. */
function walkFromPeriod(platen: Platen, selection: Selection, order: Order, place: Place): number[] {
  const { descending } = order;
  const { from, until } = selection;
  const bound = descending ? until : from;
  const beyond = bound === undefined ? 0 : (descending ? countFrom : countBefore)(platen, selection, bound);
  let left = place.offset + beyond;
  for (const { period, posts } of periodsOf(platen, selection, descending)) {
    if (left >= posts) {
      left -= posts;
      continue;
    }
    // In the bound's own period the walk begins at the bound.
    if (bound !== undefined && period === periodOf(bound)) break;
    const [start, end] = [startOf(period), startOf(period + 1)];
    const nearer = descending ? { ...selection, until: end } : { ...selection, from: start };
    return walk(platen, nearer, order, { offset: left, limit: place.limit });
  }
  return walk(platen, selection, order, place);
}
