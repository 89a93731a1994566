/** How many posts a list has: the counters cost the same in a blog of any size. */
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

/** Posts are counted by periods of so many milliseconds (30 days), from so long before 1970; see migration 0003. */
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
  const all = sumOf(platen, selection, "period = 0");
  const before = from === undefined ? 0 : countBefore(platen, selection, from);
  return all - before - (until === undefined ? 0 : countFrom(platen, selection, until));
}

/** How many there are in each period that has some, in their order. */
export function periodsOf(platen: Platen, selection: Selection, descending: boolean) {
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
    const order = { sort: "updated_at", descending } as const;
    return placesOf(platen, { blogId, statuses, types }, order, { offset: 0, limit: 1 })[0]?.key as number;
  });
  return instant - first < last - instant;
}

export function countBefore(platen: Platen, selection: Selection, instant: number): number {
  const period = periodOf(instant);
  const inPeriod = { ...selection, from: startOf(period), until: instant };
  return (
    sumOf(platen, selection, "period > 0 and period < $period", { period }) + countOneByOne(platen, inPeriod)
  );
}

/** At the instant, or later. */
export function countFrom(platen: Platen, selection: Selection, instant: number): number {
  const period = periodOf(instant);
  const inPeriod = { ...selection, from: instant, until: startOf(period + 1) };
  return sumOf(platen, selection, "period > $period", { period }) + countOneByOne(platen, inPeriod);
}

export const periodOf = (instant: number) => Math.max(1, Math.floor((instant + BEFORE_1970) / PERIOD));
export const startOf = (period: number) => period * PERIOD - BEFORE_1970;

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
export function isCounted({ tagId, kind, changedSince, also, without = [] }: Selection): boolean {
  const more = [tagId, kind, changedSince, also];
  return more.every((part) => part === undefined) && without.every((flag) => COUNTED_FLAGS.includes(flag));
}

function counters(selection: Selection): { where: string; values: Values } {
  const { statuses, types, categoryId, notOfCategories = [], without = [] } = selection;
  const values = { ...valuesOf(selection), ...(categoryId === null && { categoryId: 0 }) };
  const conditions = [
    "blog_id = $blogId",
    `status in (${listed(statuses)}) and type in (${listed(types)})`,
    categoryId !== undefined && "category_id = $categoryId",
    ...notOfCategories.map((_, number) => `category_id <> $not${number}`),
    ...without.map((flag) => `${flag} = 0`),
  ];
  return { where: conditions.filter(Boolean).join(" and "), values };
}
