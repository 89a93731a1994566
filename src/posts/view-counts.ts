import { inArray, sum } from "drizzle-orm";
import { type Blog, blogById } from "../blogs/blogs";
import { formatDate } from "../blogs/time-zone";
import { DAY } from "../config/units";
import { views } from "../database/schema";
import { inInvisibleTransaction } from "../database/transactions";
import type { Platen } from "../platen";
import type { PostRow } from "./post/post";
import { countPosts } from "./storage/post-list-queries";

/** Per blog and day. All other hosts share one row with an empty name. */
const MAX_HOSTS = 50;
/** Limits the memory per blog, because clients can send any host. */
const MAX_PENDING_HOSTS = 1000;

type Counted = { views: Map<number, number>; hosts: Map<string, number> };

const counted = new WeakMap<Platen, Map<number, Counted>>();

/** Counts in memory. A crash loses the views that `writeViews` has not stored yet. */
export function countView(platen: Platen, post: Pick<PostRow, "id" | "blogId">, host: string | null): void {
  const { id, blogId } = post;
  const blogs = counted.getOrInsertComputed(platen, () => new Map<number, Counted>());
  const counts = blogs.getOrInsertComputed(blogId, () => ({ views: new Map(), hosts: new Map() }));
  counts.views.set(id, (counts.views.get(id) ?? 0) + 1);
  if (host === null) return;
  const name = counts.hosts.has(host) || counts.hosts.size < MAX_PENDING_HOSTS ? host : "";
  counts.hosts.set(name, (counts.hosts.get(name) ?? 0) + 1);
}

export function writeViews(platen: Platen): void {
  const blogs = counted.get(platen) ?? new Map<number, Counted>();
  for (const [blogId, { views, hosts }] of blogs) {
    const blog = blogById(platen, blogId);
    if (blog) {
      const day = formatDate(platen.now(), blog.timeZone);
      const values = { blogId, day, views: JSON.stringify([...views]), hosts: JSON.stringify([...hosts]) };
      runUncounted(platen, ADDITIONS, values);
    }
    // Deleted after the transaction, so that a failed write is retried.
    blogs.delete(blogId);
  }
}

function runUncounted(platen: Platen, statements: string[], values: Record<string, string | number>): void {
  inInvisibleTransaction(platen, () => {
    for (const statement of statements) platen.db.$client.query(statement).run(values);
  });
}

const FEW_HOSTS = `SELECT host, count FROM referrers WHERE blog_id = $blogId AND day = $day AND host <> ''
  ORDER BY count DESC, host LIMIT -1 OFFSET ${MAX_HOSTS}`;
const VIEWED = "json_each($views) AS viewed JOIN posts ON posts.id = viewed.value ->> 0";

/** The last two statements merge all but the most frequent hosts into one row with an empty name. */
const ADDITIONS = [
  `INSERT INTO views (post_id, day, count, blog_id) SELECT posts.id, $day, viewed.value ->> 1, blog_id FROM ${VIEWED} WHERE true
   ON CONFLICT (post_id, day) DO UPDATE SET count = count + excluded.count`,
  `INSERT INTO blog_readings SELECT $blogId, $day, sum(viewed.value ->> 1) FROM ${VIEWED} HAVING count(*) > 0
   ON CONFLICT (blog_id, day) DO UPDATE SET count = count + excluded.count`,
  `INSERT INTO referrers SELECT $blogId, $day, value ->> 0, value ->> 1 FROM json_each($hosts) WHERE true
   ON CONFLICT (blog_id, day, host) DO UPDATE SET count = count + excluded.count`,
  `INSERT INTO referrers SELECT $blogId, $day, '', sum(count) FROM (${FEW_HOSTS}) HAVING count(*) > 0
   ON CONFLICT (blog_id, day, host) DO UPDATE SET count = count + excluded.count`,
  `DELETE FROM referrers WHERE blog_id = $blogId AND day = $day AND host IN (SELECT host FROM (${FEW_HOSTS}))`,
];

export function viewsOf({ db }: Platen, postIds: number[]): Map<number, number> {
  const { postId } = views;
  const columns = { postId, count: sum(views.count).mapWith(Number) };
  const rows = db.select(columns).from(views).where(inArray(postId, postIds)).groupBy(postId).all();
  return new Map(rows.map(({ postId, count }) => [postId, count]));
}

const REFERRER_DAYS = 400;
export function mergeOldViews(platen: Platen): void {
  const daysAgo = (days: number) => new Date(platen.now().getTime() - days * DAY).toISOString().slice(0, 10);
  // Keeps one more day, because time zones differ.
  const values = { firstShown: daysAgo(MAX_VIEW_DAYS + 1), firstReferrers: daysAgo(REFERRER_DAYS) };
  runUncounted(platen, MERGING, values);
}

const OLD_VIEWS = `FROM views WHERE blog_id IN (SELECT id FROM blogs) AND day > '' AND day < $firstShown
  ORDER BY rowid LIMIT 5000`;
const MERGING = [
  `INSERT INTO views (post_id, day, count, blog_id)
   SELECT post_id, '', sum(count), blog_id FROM (SELECT post_id, count, blog_id ${OLD_VIEWS}) WHERE true GROUP BY post_id
   ON CONFLICT (post_id, day) DO UPDATE SET count = count + excluded.count`,
  `DELETE FROM views WHERE rowid IN (SELECT rowid ${OLD_VIEWS})`,
  "DELETE FROM referrers WHERE blog_id IN (SELECT id FROM blogs) AND day < $firstReferrers",
];

const MAX_VIEW_DAYS = 90;
/** Limits the posts read per day, so that the query stays fast on large blogs. */
const MAX_POSTS_PER_DAY = 25;

export type Count<Key> = { key: Key; count: number };

/** In the blog's time zone. Includes today. Oldest first, such as "2026-03-01". */
export function lastDays(platen: Platen, { timeZone }: Pick<Blog, "timeZone">, days: number): string[] {
  const first = Temporal.PlainDate.from(formatDate(platen.now(), timeZone)).subtract({ days: days - 1 });
  return Array.from({ length: days }, (_, index) => String(first.add({ days: index })));
}

export function viewsByDay({ db }: Platen, { id }: Pick<Blog, "id">, days: string[]): Count<string>[] {
  const sinceDay = db.$client.query<Count<string>, [number, string]>(
    "SELECT day AS key, count FROM blog_readings WHERE blog_id = ? AND day >= ?",
  );
  const counts = new Map(sinceDay.all(id, days[0] ?? "").map(({ key, count }) => [key, count]));
  return days.map((key) => ({ key, count: counts.get(key) ?? 0 }));
}

/** Counts only the most-read posts of each day. @returns post ids with view counts */
export function mostReadPosts({ db }: Platen, { id }: Pick<Blog, "id">, days: string[], limit: number) {
  const ofDay = db.$client.query<Count<number>, [number, string]>(
    `SELECT post_id AS key, count FROM views WHERE blog_id = ? AND day = ? ORDER BY count DESC LIMIT ${MAX_POSTS_PER_DAY}`,
  );
  const sums = new Map<number, number>();
  for (const day of days)
    for (const { key, count } of ofDay.all(id, day)) sums.set(key, (sums.get(key) ?? 0) + count);
  const largestFirst = [...sums].sort(([a, one], [b, other]) => other - one || a - b);
  return largestFirst.slice(0, limit).map(([key, count]) => ({ key, count }));
}

/** The host "" stands for all other referrers. */
export function referringHosts({ db }: Platen, { id }: Pick<Blog, "id">, days: string[], limit: number) {
  const sinceDay = db.$client.query<Count<string>, [number, string]>(
    `SELECT host AS key, sum(count) AS count FROM referrers WHERE blog_id = ? AND day >= ?
     GROUP BY host ORDER BY host = '', sum(count) DESC, host`,
  );
  const hosts = sinceDay.all(id, days[0] ?? "");
  const shown = hosts.slice(0, limit).filter(({ key }) => key !== "");
  const rest = hosts.slice(shown.length).reduce((sum, { count }) => sum + count, 0);
  return rest > 0 ? [...shown, { key: "", count: rest }] : shown;
}

/** Oldest first. Months begin and end in UTC. */
export function postsByMonth(platen: Platen, blog: Pick<Blog, "id" | "timeZone">, months: number) {
  const now = platen.now().getTime();
  const published = { blogId: blog.id, statuses: ["published"], types: ["post"] } as const;
  return countByMonth(platen, blog, months, (from, until) =>
    countPosts(platen, { ...published, from, until: Math.min(until, now + 1) }),
  );
}

/** Gets two times in milliseconds; `until` is exclusive. */
type CountBetween = (from: number, until: number) => number;
type HasTimeZone = Pick<Blog, "timeZone">;

export function countByMonth(platen: Platen, blog: HasTimeZone, months: number, count: CountBetween) {
  const today = Temporal.PlainDate.from(formatDate(platen.now(), blog.timeZone));
  const first = today.toPlainYearMonth().subtract({ months: months - 1 });
  return Array.from({ length: months }, (_, index) => {
    const [month, next] = [first.add({ months: index }), first.add({ months: index + 1 })];
    return { key: String(month), count: count(Date.parse(`${month}-01`), Date.parse(`${next}-01`)) };
  });
}
