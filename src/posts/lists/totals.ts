/** How many posts a list has: the counters cost the same in a blog of any size. */
import { EVER, EVERY_CATEGORY } from "../../database/schema";
import type { Platen } from "../../platen";
import {
  countOneByOne,
  type Flag,
  listed,
  placesOf,
  type Selection,
  type Values,
  valuesOf,
} from "./list-order";

/** Posts are counted by periods of so many milliseconds (30 days), from so long before 1970; see migration 0018. */
const PERIOD = 2_592_000_000;
const BEFORE_1970 = 100_000_000_000_000;
const COUNTED_FLAGS: readonly Flag[] = ["hidden", "skip_archive"];

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
  const all = sumOf(platen, selection, `period = ${EVER}`);
  const before = from === undefined ? 0 : countBefore(platen, selection, from);
  return all - before - (until === undefined ? 0 : countFrom(platen, selection, until));
}

/** How many there are in each period that has some, in their order. */
export function periodsOf(platen: Platen, selection: Selection, descending: boolean) {
  const { counted, uncounted } = counters(selection);
  const less = uncounted ? ` - ${summed(`${uncounted} and period = counted.period`)}` : "";
  return platen.db.$client
    .query<{ period: number; posts: number }, [Values]>(
      `select period, sum(posts)${less} as posts from post_totals as counted where ${counted} and period < ${EVER}
       group by period order by period ${descending ? "desc" : "asc"}`,
    )
    .iterate(valuesOf(selection));
}

/** Were fewer changed last before the instant than since? A guess, from the first and the last of these states and types. */
function areFewBefore(platen: Platen, { blogId, statuses, types }: Selection, instant: number): boolean {
  const [first = instant, last = instant] = [false, true].map((descending) => {
    const order = { sort: "updated_at", descending } as const;
    return placesOf(platen, { blogId, statuses, types }, order, { offset: 0, limit: 1 })[0]?.key as number;
  });
  return instant - first < last - instant;
}

export function countBefore(platen: Platen, selection: Selection, instant: number): number {
  const period = periodOf(instant);
  const inPeriod = { ...selection, from: startOf(period), until: instant };
  return sumOf(platen, selection, "period < $period", { period }) + countOneByOne(platen, inPeriod);
}

/** At the instant, or later. */
export function countFrom(platen: Platen, selection: Selection, instant: number): number {
  const period = periodOf(instant);
  const inPeriod = { ...selection, from: instant, until: startOf(period + 1) };
  const later = `period > $period and period < ${EVER}`;
  return sumOf(platen, selection, later, { period }) + countOneByOne(platen, inPeriod);
}

export const periodOf = (instant: number) => Math.max(1, Math.floor((instant + BEFORE_1970) / PERIOD));
export const startOf = (period: number) => period * PERIOD - BEFORE_1970;

function sumOf(platen: Platen, selection: Selection, condition: string, more: Values = {}): number {
  const { counted, uncounted } = counters(selection);
  const less = uncounted ? ` - ${summed(`${uncounted} and ${condition}`)}` : "";
  const query = platen.db.$client.query<{ posts: number }, [Values]>(
    `select ${summed(`${counted} and ${condition}`)}${less} as posts`,
  );
  return query.get({ ...valuesOf(selection), ...more })?.posts ?? 0;
}

const summed = (where: string) => `(select coalesce(sum(posts), 0) from post_totals where ${where})`;

/** Do the counters know all that it is selected by? */
export function isCounted({ tagId, kind, changedSince, without = [] }: Selection): boolean {
  const more = [tagId, kind, changedSince];
  return more.every((part) => part === undefined) && without.every((flag) => COUNTED_FLAGS.includes(flag));
}

/**
 * Conditions: which rows count what is selected, and which, where there are any, what is of unwanted categories among it.
 * A category that is asked for may be any number, and those below 1 stand for something else here.
 */
function counters(selection: Selection): { counted: string; uncounted?: string } {
  const { statuses, types, categoryId, notOfCategories = [], without = [] } = selection;
  const of = (category: string) =>
    [
      `blog_id = $blogId and ${category}`,
      `status in (${listed(statuses)}) and type in (${listed(types)})`,
      ...without.map((flag) => `${flag} = 0`),
    ].join(" and ");
  const unwanted = notOfCategories.map((_, number) => `$not${number}`).join(", ");
  if (categoryId === null) return { counted: of("category_id = 0") };
  if (categoryId !== undefined)
    return {
      counted: of(`category_id = $categoryId and category_id > 0 and category_id not in (${unwanted})`),
    };
  return {
    counted: of(`category_id = ${EVERY_CATEGORY}`),
    ...(unwanted && { uncounted: of(`category_id in (${unwanted}) and category_id > 0`) }),
  };
}
