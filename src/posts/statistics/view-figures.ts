import type { Blog } from "../../blogs/blogs";
import { formatDate } from "../../blogs/time-zone";
import type { Platen } from "../../platen";
import { countPosts } from "../lists/list-pages";

export const MAX_VIEW_DAYS = 90;
/** Maximum number of posts read per day. The limit keeps queries fast on large blogs. */
const MAX_POSTS_PER_DAY = 25;

/** A count and the day, month, site or post that the count belongs to. */
export interface Figure<Of> {
  of: Of;
  count: number;
}

/** Returns the last days including today, oldest first: "2026-03-01". */
export function lastDays(platen: Platen, { timeZone }: Pick<Blog, "timeZone">, days: number): string[] {
  const today = Temporal.PlainDate.from(formatDate(platen.now(), timeZone));
  return ofLast(days, (ago) => today.subtract({ days: ago }));
}

/** Returns the last months including this one, oldest first: "2026-03". */
function lastMonths(platen: Platen, { timeZone }: Pick<Blog, "timeZone">, months: number): string[] {
  const now = Temporal.PlainDate.from(formatDate(platen.now(), timeZone)).toPlainYearMonth();
  return ofLast(months, (ago) => now.subtract({ months: ago }));
}

const ofLast = (most: number, one: (ago: number) => object) =>
  Array.from({ length: most }, (_, index) => String(one(most - 1 - index)));

export function viewsByDay({ db }: Platen, { id }: Pick<Blog, "id">, days: string[]): Figure<string>[] {
  const rows = db.$client
    .query<Figure<string>, [number, string]>(
      "SELECT day AS of, count FROM blog_readings WHERE blog_id = ? AND day >= ?",
    )
    .all(id, days[0] ?? "");
  return ofEach(days, rows);
}

/** Returns the most read posts by id. Only the top 25 posts of each day count. */
export function mostReadPosts(
  { db }: Platen,
  { id }: Pick<Blog, "id">,
  days: string[],
  limit: number,
): Figure<number>[] {
  const ofDay = db.$client.query<Figure<number>, [number, string]>(
    `SELECT post_id AS of, count FROM views WHERE blog_id = ? AND day = ? ORDER BY count DESC LIMIT ${MAX_POSTS_PER_DAY}`,
  );
  return most(days.flatMap((day) => ofDay.all(id, day))).slice(0, limit);
}

/** Returns the referrers of these days. The host "" stands for all others. */
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

/** Counts the published posts of each of the last months, oldest first. */
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
 * Returns counts for the last months, oldest first.
 * @param statement selects `of` and `count` by blog id and first month
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

function ofEach<Of>(all: Of[], counted: Figure<Of>[]): Figure<Of>[] {
  const counts = new Map(counted.map(({ of, count }) => [of, count]));
  return all.map((of) => ({ of, count: counts.get(of) ?? 0 }));
}

/** Counts posts that are scheduled later this month. */
function scheduled(platen: Platen, blogId: number, month: string): number {
  const end = Temporal.PlainYearMonth.from(month)
    .add({ months: 1 })
    .toPlainDate({ day: 1 })
    .toZonedDateTime("UTC").epochMilliseconds;
  const from = platen.now().getTime() + 1;
  const selection = { blogId, statuses: ["published"], types: ["post"], from, until: end } as const;
  return from < end ? countPosts(platen, selection) : 0;
}

function most<Of>(figures: Figure<Of>[]): Figure<Of>[] {
  const sums = new Map<Of, number>();
  for (const { of, count } of figures) sums.set(of, (sums.get(of) ?? 0) + count);
  return [...sums]
    .map(([of, count]) => ({ of, count }))
    .sort((one, other) => other.count - one.count || (one.of < other.of ? -1 : 1));
}
