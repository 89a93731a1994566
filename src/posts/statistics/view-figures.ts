import type { Blog } from "../../blogs/blogs";
import { dateIn } from "../../blogs/time-zone";
import type { Platen } from "../../platen";
import { countPosts } from "../lists/list-pages";

/** The longest that figures are asked for, in days. */
export const MAX_VIEW_DAYS = 90;
/** Of each day, so many of its most read posts are looked at: a blog of any size takes the same time. */
const LOOKED_AT = 25;

/** A day, a month, a site or a post, and how many of it. */
export interface Figure<Of> {
  of: Of;
  count: number;
}

/** The last days of a blog, oldest first, today included: "2026-03-01". */
export function lastDays(platen: Platen, { timeZone }: Pick<Blog, "timeZone">, days: number): string[] {
  const today = Temporal.PlainDate.from(dateIn(platen.now(), timeZone));
  return ofLast(days, (ago) => today.subtract({ days: ago }));
}

/** The last months of a blog, oldest first, this one included: "2026-03". */
function lastMonths(platen: Platen, { timeZone }: Pick<Blog, "timeZone">, months: number): string[] {
  const now = Temporal.PlainDate.from(dateIn(platen.now(), timeZone)).toPlainYearMonth();
  return ofLast(months, (ago) => now.subtract({ months: ago }));
}

const ofLast = (most: number, one: (ago: number) => object) =>
  Array.from({ length: most }, (_, index) => String(one(most - 1 - index)));

/** How often a blog's posts were read on each of the days. */
export function viewsByDay({ db }: Platen, { id }: Pick<Blog, "id">, days: string[]): Figure<string>[] {
  const rows = db.$client
    .query<Figure<string>, [number, string]>(
      "SELECT day AS of, count FROM blog_readings WHERE blog_id = ? AND day >= ?",
    )
    .all(id, days[0] ?? "");
  return ofEach(days, rows);
}

/** The posts that were read most on these days, by id; each has been among the 25 most read of a day. */
export function mostReadPosts(
  { db }: Platen,
  { id }: Pick<Blog, "id">,
  days: string[],
  limit: number,
): Figure<number>[] {
  const ofDay = db.$client.query<Figure<number>, [number, string]>(
    `SELECT post_id AS of, count FROM views WHERE blog_id = ? AND day = ? ORDER BY count DESC LIMIT ${LOOKED_AT}`,
  );
  return most(days.flatMap((day) => ofDay.all(id, day))).slice(0, limit);
}

/** The sites that readers came from on these days; empty: others. */
export function referringHosts(
  { db }: Platen,
  { id }: Pick<Blog, "id">,
  days: string[],
  limit: number,
): Figure<string>[] {
  const rows = db.$client
    .query<Figure<string>, [number, string]>(
      "SELECT host AS of, count FROM referrers WHERE blog_id = ? AND day >= ?",
    )
    .all(id, days[0] ?? "");
  const named = most(rows).filter(({ of }) => of !== "");
  const all = (figures: Figure<string>[]) => figures.reduce((sum, { count }) => sum + count, 0);
  const shown = named.slice(0, limit);
  const rest = all(rows) - all(shown);
  return rest > 0 ? [...shown, { of: "", count: rest }] : shown;
}

/** How many posts went live in each of the last months, oldest first, this one included. */
export function postsByMonth(
  platen: Platen,
  blog: Pick<Blog, "id" | "timeZone">,
  months: number,
): Figure<string>[] {
  const figures = figuresByMonth(
    platen,
    blog,
    months,
    "SELECT month AS of, posts AS count FROM post_months WHERE blog_id = ? AND month >= ?",
  );
  const now = figures.at(-1);
  if (now) now.count -= scheduled(platen, blog.id, now.of);
  return figures;
}

/**
 * Of each of the last months, oldest first, this one included.
 * @param statement asks for the figures (`of`, `count`) of a blog, by its id, from a month on
 */
export function figuresByMonth(
  platen: Platen,
  blog: Pick<Blog, "id" | "timeZone">,
  months: number,
  statement: string,
): Figure<string>[] {
  const names = lastMonths(platen, blog, months);
  const rows = platen.db.$client.query<Figure<string>, [number, string]>(statement);
  return ofEach(names, rows.all(blog.id, names[0] ?? ""));
}

/** In this order; nothing was counted where there is no figure. */
function ofEach<Of>(all: Of[], counted: Figure<Of>[]): Figure<Of>[] {
  const counts = new Map(counted.map(({ of, count }) => [of, count]));
  return all.map((of) => ({ of, count: counts.get(of) ?? 0 }));
}

/** Those of the month that are still to come, of which there are few. */
function scheduled(platen: Platen, blogId: number, month: string): number {
  const end = Temporal.PlainYearMonth.from(month)
    .add({ months: 1 })
    .toPlainDate({ day: 1 })
    .toZonedDateTime("UTC").epochMilliseconds;
  const from = platen.now().getTime() + 1;
  const asked = { blogId, statuses: ["published"], types: ["post"], from, until: end } as const;
  return from < end ? countPosts(platen, asked) : 0;
}

/** The most first, of each all together. */
function most<Of>(figures: Figure<Of>[]): Figure<Of>[] {
  const sums = new Map<Of, number>();
  for (const { of, count } of figures) sums.set(of, (sums.get(of) ?? 0) + count);
  return [...sums]
    .map(([of, count]) => ({ of, count }))
    .sort((one, other) => other.count - one.count || (one.of < other.of ? -1 : 1));
}
