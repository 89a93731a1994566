/** A page of a list, however far down, with words to look for or without. */
import type { Platen } from "../../platen";
import { hitsOf, readHits } from "../search/search-hits";
import { amongThem, isByPublication, type Order, type Place, type Selection, walk } from "./list-order";
import { countBefore, countFrom, countPosts, isCounted, periodOf, periodsOf, startOf } from "./totals";
import { isWholeListKept, type PageWithTotal, pageOfWholeList, readInTurns } from "./whole-lists";

/** Posts to pass over that are worth asking the counters: an index is gone through at 12 posts a microsecond. */
const FAR = 500;
/** Posts with the words: so few that it costs less to look at each than to read the list that they are in. */
const A_HANDFUL = 100;
/** The same where that list is kept: to go through all of it costs what ten posts do that were not read lately. */
const A_FEW = 10;

/** Which posts of a blog, and which words they have. */
export interface Search extends Selection {
  /** What `wordsSought` makes of words to look for; null: nothing that could be found. */
  words?: string | null;
}

/** As `walk`, for a page that may be far down; what it is found by is read with others in between. */
export async function pageInTurns(platen: Platen, search: Search, order: Order, place: Place) {
  await readForPage(platen, search, order, place);
  const { words, ...selection } = search;
  return words === undefined
    ? pageFarDown(platen, selection, order, place)
    : pageWithWords(platen, selection, words, order, place).ids;
}

/** The page, and how many posts there are in all. @param count how many, where there are no words to look for */
export function pageWithTotal(
  platen: Platen,
  { words, ...selection }: Search,
  order: Order,
  place: Place,
  count = () => countPosts(platen, selection),
): PageWithTotal {
  if (words !== undefined) return pageWithWords(platen, selection, words, order, place);
  const total = count();
  return { ids: pageFarDown(platen, selection, order, place, total), total };
}

/** Of a handful each is looked at; of more, or where it is at hand, all of the list is gone through for them. */
function pageWithWords(
  platen: Platen,
  selection: Selection,
  words: string | null,
  order: Order,
  place: Place,
): PageWithTotal {
  if (words === null) return { ids: [], total: 0 };
  const hits = hitsOf(platen, words);
  const isMany =
    hits.count >= A_HANDFUL || (hits.count >= A_FEW && isWholeListKept(platen, selection, order));
  if (isMany) return pageOfWholeList(platen, selection, order, place, hits);
  const { after, offset, limit } = place;
  const all = amongThem(platen, selection, order, hits.ids(), after);
  const page = all.filter(({ isBehind }) => isBehind).slice(offset, offset + limit);
  return { ids: page.map(({ id }) => id), total: all.length };
}

/** As near to it as the counters lead, and from the end where that is nearer. @param known the total, where it is */
function pageFarDown(
  platen: Platen,
  selection: Selection,
  order: Order,
  place: Place,
  known?: number,
): number[] {
  const { offset, limit } = place;
  if (offset < FAR || place.after) return walk(platen, selection, order, place);
  const total = known ?? countPosts(platen, selection);
  const count = Math.min(limit, total - offset);
  if (count <= 0) return [];
  const left = total - offset - count;
  if (left >= FAR)
    return areCountersFor(selection, order)
      ? walkFromPeriod(platen, selection, order, place)
      : pageOfWholeList(platen, selection, order, place).ids;
  if (left >= offset) return walk(platen, selection, order, place);
  const backwards = { ...order, descending: !order.descending };
  return walk(platen, selection, backwards, {
    offset: left,
    limit: count,
  }).reverse();
}

/** Reads the hits of words, and the list that a page needs whole, in turns: `pageWithTotal` keeps everybody waiting for that. */
export async function readForPage(
  platen: Platen,
  { words, ...selection }: Search,
  order: Order,
  { offset, limit, after }: Place,
): Promise<void> {
  if (typeof words === "string") await readHits(platen, words);
  const isNeeded =
    typeof words === "string"
      ? hitsOf(platen, words).count >= A_HANDFUL
      : words === undefined &&
        offset >= FAR &&
        !after &&
        !areCountersFor(selection, order) &&
        countPosts(platen, selection) - offset - limit >= FAR;
  if (isNeeded) await readInTurns(platen, selection, order);
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
