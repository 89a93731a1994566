import { inArray, sum } from "drizzle-orm";
import { blogById, listBlogs } from "../../blogs/blogs";
import { formatDate } from "../../blogs/time-zone";
import { DAY } from "../../config/units";
import { keepDataVersion } from "../../database/change-counter";
import { prepared } from "../../database/prepared";
import { views } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";
import { MAX_VIEW_DAYS } from "./view-figures";

/** Maximum number of referrer hosts stored per blog and day. Other hosts share one row. */
const MAX_HOSTS = 50;
/** Maximum number of hosts in memory. Clients can send any host. */
const MAX_PENDING_HOSTS = 1000;

/** Views of a blog that are not yet stored. */
interface Counted {
  /** post id → views */
  views: Map<number, number>;
  /** host → views */
  hosts: Map<string, number>;
}

/** blog id → views */
const counted = new WeakMap<Platen, Map<number, Counted>>();

/** Counts a view in memory. `writeViews` stores it. @param host host of the referrer, or null */
export function countView(
  platen: Platen,
  { id, blogId }: Pick<PostRow, "id" | "blogId">,
  host: string | null,
): void {
  const blogs = counted.getOrInsertComputed(platen, () => new Map<number, Counted>());
  const counts = blogs.getOrInsertComputed(blogId, () => ({ views: new Map(), hosts: new Map() }));
  counts.views.set(id, (counts.views.get(id) ?? 0) + 1);
  if (host === null) return;
  const name = counts.hosts.has(host) || counts.hosts.size < MAX_PENDING_HOSTS ? host : "";
  counts.hosts.set(name, (counts.hosts.get(name) ?? 0) + 1);
}

const MAX_POSTS_PER_WRITE = 400;

/**
 * Adds counted views to the day's totals. A crash loses views that are not stored.
 * @returns whether views are left to store
 */
export function writeViews(platen: Platen): boolean {
  const blogs = counted.get(platen);
  const [of] = blogs ?? [];
  if (!blogs || !of) return false;
  const [blogId, counts] = of;
  const views = new Map([...counts.views].slice(0, MAX_POSTS_PER_WRITE));
  const blog = blogById(platen, blogId);
  const write = () => {
    if (blog) addToDay(platen, blogId, formatDate(platen.now(), blog.timeZone), { ...counts, views });
  };
  keepDataVersion(platen, () => inTransaction(platen, write));
  // Clears the counts after the transaction, so that a failed write is retried.
  for (const id of views.keys()) counts.views.delete(id);
  counts.hosts.clear();
  if (counts.views.size === 0) blogs.delete(blogId);
  return blogs.size > 0;
}

export function writeAllViews(platen: Platen): void {
  while (writeViews(platen));
}

function addToDay(platen: Platen, blogId: number, day: string, { views, hosts }: Counted): void {
  let all = 0;
  for (const [postId, count] of views)
    if (addToPost(platen).all({ postId, day, count }).length > 0) all += count;
  if (all > 0) addToBlog(platen).run({ blogId, day, count: all });
  for (const [host, count] of hosts) addToHost(platen).run({ blogId, day, host, count });
  if (hosts.size > 0) for (const fold of foldHosts(platen)) fold.run({ blogId, day });
}

/** Adds views to a post. Skips posts deleted since the view. */
const addToPost = prepared(({ $client }) =>
  $client.query<unknown, [Values]>(
    `INSERT INTO views (post_id, day, count, blog_id) SELECT id, $day, $count, blog_id FROM posts WHERE id = $postId
     ON CONFLICT (post_id, day) DO UPDATE SET count = count + excluded.count RETURNING post_id`,
  ),
);
const addToBlog = prepared(({ $client }) =>
  $client.query<unknown, [Values]>(
    `INSERT INTO blog_readings (blog_id, day, count) VALUES ($blogId, $day, $count)
     ON CONFLICT (blog_id, day) DO UPDATE SET count = count + excluded.count`,
  ),
);
const addToHost = prepared(({ $client }) =>
  $client.query<unknown, [Values]>(
    `INSERT INTO referrers (blog_id, day, host, count) VALUES ($blogId, $day, $host, $count)
     ON CONFLICT (blog_id, day, host) DO UPDATE SET count = count + excluded.count`,
  ),
);
type Values = Record<string, string | number>;

/** Merges all but the most frequent hosts into one row with an empty name. */
const foldHosts = prepared(({ $client }) => {
  const few = `SELECT host, count FROM referrers WHERE blog_id = $blogId AND day = $day AND host <> ''
    ORDER BY count DESC, host LIMIT -1 OFFSET ${MAX_HOSTS}`;
  return [
    `INSERT INTO referrers SELECT $blogId, $day, '', sum(count) FROM (${few}) HAVING count(*) > 0
     ON CONFLICT (blog_id, day, host) DO UPDATE SET count = count + excluded.count`,
    `DELETE FROM referrers WHERE blog_id = $blogId AND day = $day AND host IN (SELECT host FROM (${few}))`,
  ].map((statement) => $client.query<unknown, [Values]>(statement));
});

/** post id → views stored so far */
export function viewsOf({ db }: Platen, postIds: number[]): Map<number, number> {
  const rows = db
    .select({ postId: views.postId, count: sum(views.count).mapWith(Number) })
    .from(views)
    .where(inArray(views.postId, postIds))
    .groupBy(views.postId)
    .all();
  return new Map(rows.map(({ postId, count }) => [postId, count]));
}

/** Number of days that referrers are stored. */
const REFERRER_DAYS = 400;
/** Maximum number of rows merged per blog and call. */
const MAX_ROWS_PER_MERGE = 5000;

/** Merges old daily views of a post into one total and deletes old referrers. The blog's daily totals stay. */
export function mergeOldViews(platen: Platen): void {
  const daysAgo = (days: number) => new Date(platen.now().getTime() - days * DAY).toISOString().slice(0, 10);
  // Keeps one more day, because time zones differ.
  const [firstShown, firstReferrers] = [daysAgo(MAX_VIEW_DAYS + 1), daysAgo(REFERRER_DAYS)];
  for (const { id } of listBlogs(platen))
    keepDataVersion(platen, () => inTransaction(platen, () => fold(platen, id, firstShown, firstReferrers)));
}

function fold({ db: { $client } }: Platen, blogId: number, shown: string, firstReferrers: string): void {
  const old = `FROM views WHERE blog_id = $blogId AND day > '' AND day < $shown ORDER BY day, count, post_id LIMIT ${MAX_ROWS_PER_MERGE}`;
  const run = (statement: string, given: Record<string, string | number>) =>
    $client.query<unknown, [typeof given]>(statement).run(given);
  run(
    `INSERT INTO views (post_id, day, count, blog_id)
     SELECT post_id, '', sum(count), $blogId FROM (SELECT post_id, count ${old}) WHERE true GROUP BY post_id
     ON CONFLICT (post_id, day) DO UPDATE SET count = count + excluded.count`,
    { blogId, shown },
  );
  run(`DELETE FROM views WHERE rowid IN (SELECT rowid ${old})`, { blogId, shown });
  run("DELETE FROM referrers WHERE blog_id = $blogId AND day < $firstReferrers", { blogId, firstReferrers });
}
