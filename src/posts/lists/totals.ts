/** How many posts a list has, and a page of it, however far down. The counters cost the same in a blog of any size. */
import type { Platen } from "../../platen";
import { hitsOf, readHits } from "./search-hits";
import {
  amongThem,
  countOneByOne,
  type Flag,
  isPublished,
  listed,
  type Order,
  type Place,
  placesOf,
  type Selection,
  walk,
} from "./walking";
import { type PageWithTotal, pageOfWholeList, readInTurns } from "./whole-lists";

/** Posts are counted by periods of so many milliseconds (30 days), from so long before 1970; see migration 0003. */
const PERIOD = 2_592_000_000;
const BEFORE_1970 = 100_000_000_000_000;
/** Posts to pass over that are worth asking the counters: an index is gone through at 12 posts a microsecond. */
const FAR = 500;
/** Posts with the words: so few that nothing costs less than to look at them. */
const A_HANDFUL = 100;
const COUNTED_FLAGS: readonly Flag[] = ["hidden", "skip_archive"];

type Values = Record<string, string | number | null>;

/** Which posts of a blog, and which words they have. */
export interface Search extends Selection {
  /** What `wordsSought` makes of words to look for; null: nothing that could be found. */
  words?: string | null;
}

/**
 * How many posts there are; exact. Tags, kinds and times of changes are counted one by one; of what was changed since,
 * rather what was not.
 */
export function countPosts(platen: Platen, selection: Selection): number {
  const { changedSince, ...always } = selection;
  if (changedSince !== undefined && isCounted(always) && areFewBefore(platen, always, changedSince))
    return countPosts(platen, always) - countOneByOne(platen, { ...always, changedBefore: changedSince });
  if (!isCounted(selection)) return countOneByOne(platen, selection);
  const { from, until } = selection;
  if (from !== undefined && until !== undefined && from >= until) return 0;
  if (until === undefined && from !== undefined) return countFrom(platen, selection, from);
  // Later than now are few.
  const isPast = until !== undefined && periodOf(until) < periodOf(platen.now().getTime());
  if (from === undefined && isPast) return countBefore(platen, selection, until);
  const all = sumOf(platen, selection, "period = 0");
  const before = from === undefined ? 0 : countBefore(platen, selection, from);
  return all - before - (until === undefined ? 0 : countFrom(platen, selection, until));
}

/** As `walk`, for a page that may be far down. */
export function pageOf(
  platen: Platen,
  { words, ...selection }: Search,
  order: Order,
  place: Place,
): number[] {
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

/** Of a handful each is looked at; of more, all of the list is gone through for them. */
function pageWithWords(
  platen: Platen,
  selection: Selection,
  words: string | null,
  order: Order,
  place: Place,
): PageWithTotal {
  if (words === null) return { ids: [], total: 0 };
  const hits = hitsOf(platen, words);
  if (hits.count >= A_HANDFUL) return pageOfWholeList(platen, selection, order, place, hits);
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

/** Reads the hits of words, and the list that a page needs whole, in turns: `pageOf` and `pageWithTotal` keep everybody waiting for that. */
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
  return isCounted(selection) && isByPublication(selection, order);
}

function isByPublication(selection: Selection, { sort }: Order): boolean {
  return sort === "time" || (sort === "published_at" && isPublished(selection));
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

function periodsOf(platen: Platen, selection: Selection, descending: boolean) {
  const { where, values } = counters(selection);
  return platen.db.$client
    .query<{ period: number; posts: number }, [Values]>(
      `select period, sum(posts) as posts from post_counts where ${where} and period > 0
       group by period order by period ${descending ? "desc" : "asc"}`,
    )
    .iterate(values);
}

/** Were fewer changed last before the instant than since? A guess, from the first and the last of these states and types. */
function areFewBefore(platen: Platen, { blogId, statuses, types }: Selection, instant: number): boolean {
  const [first = instant, last = instant] = [false, true].map((descending) => {
    const order: Order = { sort: "updated_at", descending };
    return placesOf(platen, { blogId, statuses, types }, order, { offset: 0, limit: 1 })[0]?.key as number;
  });
  return instant - first < last - instant;
}

function countBefore(platen: Platen, selection: Selection, instant: number): number {
  const period = periodOf(instant);
  const inPeriod = { ...selection, from: startOf(period), until: instant };
  return (
    sumOf(platen, selection, "period > 0 and period < $period", { period }) + countOneByOne(platen, inPeriod)
  );
}

/** At the instant, or later. */
function countFrom(platen: Platen, selection: Selection, instant: number): number {
  const period = periodOf(instant);
  const inPeriod = { ...selection, from: instant, until: startOf(period + 1) };
  return sumOf(platen, selection, "period > $period", { period }) + countOneByOne(platen, inPeriod);
}

const periodOf = (instant: number) => Math.max(1, Math.floor((instant + BEFORE_1970) / PERIOD));
const startOf = (period: number) => period * PERIOD - BEFORE_1970;

function sumOf(platen: Platen, selection: Selection, condition: string, more: Values = {}): number {
  const { where, values } = counters(selection);
  return (
    platen.db.$client
      .query<{ posts: number }, [Values]>(
        `select coalesce(sum(posts), 0) as posts from post_counts where ${where} and ${condition}`,
      )
      .get({ ...values, ...more })?.posts ?? 0
  );
}

/** Do the counters know all that it is selected by? */
function isCounted({ tagId, kind, changedSince, also, without = [] }: Selection): boolean {
  const more = [tagId, kind, changedSince, also];
  return more.every((part) => part === undefined) && without.every((flag) => COUNTED_FLAGS.includes(flag));
}

function counters(selection: Selection): { where: string; values: Values } {
  const { blogId, statuses, types, categoryId, notOfCategories = [], without = [] } = selection;
  const values: Values = { blogId };
  if (categoryId !== undefined) values.categoryId = categoryId ?? 0;
  notOfCategories.forEach((id, number) => {
    values[`not${number}`] = id;
  });
  const conditions = [
    "blog_id = $blogId",
    `status in (${listed(statuses)}) and type in (${listed(types)})`,
    categoryId !== undefined && "category_id = $categoryId",
    ...notOfCategories.map((_, number) => `category_id <> $not${number}`),
    ...without.map((flag) => `${flag} = 0`),
  ];
  return { where: conditions.filter(Boolean).join(" and "), values };
}
