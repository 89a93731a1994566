import { inArray, sum } from "drizzle-orm";
import { blogById, listBlogs } from "../../blogs/blogs";
import { dateIn } from "../../blogs/time-zone";
import { DAY } from "../../config/units";
import { keepDataVersion } from "../../database/data-version";
import { prepared } from "../../database/prepared";
import { views } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import type { PostRow } from "../post/post";
import { MAX_VIEW_DAYS } from "./view-figures";

/** Of a blog and day: those that most readers came from; all others are one row, with no name. */
const MOST_HOSTS = 50;
/** Of a blog, between two times of writing: made-up names cannot fill the memory. */
const MOST_WAITING = 1000;

/** Readings of a blog that are not written yet. */
interface Counted {
  /** post id → how often it was read. */
  views: Map<number, number>;
  /** host → how many came from there. */
  hosts: Map<string, number>;
}

/** blog id → … */
const counted = new WeakMap<Platen, Map<number, Counted>>();

/**
 * Somebody reads the post's page. Only counted here: `keepViews` writes, so that a reader never waits for the disk.
 * @param host of the other site whose link was followed, null where it is not known
 */
export function countView(
  platen: Platen,
  { id, blogId }: Pick<PostRow, "id" | "blogId">,
  host: string | null,
): void {
  const blogs = counted.getOrInsertComputed(platen, () => new Map<number, Counted>());
  const counts = blogs.getOrInsertComputed(blogId, () => ({ views: new Map(), hosts: new Map() }));
  counts.views.set(id, (counts.views.get(id) ?? 0) + 1);
  if (host === null) return;
  const kept = counts.hosts.has(host) || counts.hosts.size < MOST_WAITING ? host : "";
  counts.hosts.set(kept, (counts.hosts.get(kept) ?? 0) + 1);
}

/** Posts of a blog whose counts are written in one go. */
const AT_ONCE = 400;

/**
 * Adds some of what was counted to the day's counts. What is counted and not kept when the power goes is lost.
 * @returns whether there is more
 */
export function writeViews(platen: Platen): boolean {
  const blogs = counted.get(platen);
  const [of] = blogs ?? [];
  if (!blogs || !of) return false;
  const [blogId, counts] = of;
  const views = new Map([...counts.views].slice(0, AT_ONCE));
  const blog = blogById(platen, blogId);
  const write = () => {
    if (blog) addToDay(platen, blogId, dateIn(platen.now(), blog.timeZone), { ...counts, views });
  };
  keepDataVersion(platen, () => inTransaction(platen, write));
  // Only now: what could not be written is written the next time.
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

/** A post that was removed meanwhile gets no row, and keeps no other from its own. */
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

/** All but the most frequent become one row, whose name is empty. */
const foldHosts = prepared(({ $client }) => {
  const few = `SELECT host, count FROM referrers WHERE blog_id = $blogId AND day = $day AND host <> ''
    ORDER BY count DESC, host LIMIT -1 OFFSET ${MOST_HOSTS}`;
  return [
    `INSERT INTO referrers SELECT $blogId, $day, '', sum(count) FROM (${few}) HAVING count(*) > 0
     ON CONFLICT (blog_id, day, host) DO UPDATE SET count = count + excluded.count`,
    `DELETE FROM referrers WHERE blog_id = $blogId AND day = $day AND host IN (SELECT host FROM (${few}))`,
  ].map((statement) => $client.query<unknown, [Values]>(statement));
});

/** post id → how often it was read, as far as that is written down; without those nobody read. */
export function viewsOf({ db }: Platen, postIds: number[]): Map<number, number> {
  const rows = db
    .select({ postId: views.postId, count: sum(views.count).mapWith(Number) })
    .from(views)
    .where(inArray(views.postId, postIds))
    .groupBy(views.postId)
    .all();
  return new Map(rows.map(({ postId, count }) => [postId, count]));
}

/** Where readers came from is kept for so long; in days. */
const REFERRERS_KEPT = 400;
/** Of a blog, in one go; the rest has its turn an hour later. */
const MOST_AT_ONCE = 5000;

/**
 * Of a post, days that no page shows one by one become one number; where readers came from is forgotten after some
 * time. What a blog had in all, a number a day, stays.
 */
export function mergeOldViews(platen: Platen): void {
  const daysAgo = (days: number) => dateIn(new Date(platen.now().getTime() - days * DAY), "UTC");
  // A day more: the zone may be another.
  const [shown, kept] = [daysAgo(MAX_VIEW_DAYS + 1), daysAgo(REFERRERS_KEPT)];
  for (const { id } of listBlogs(platen))
    keepDataVersion(platen, () => inTransaction(platen, () => fold(platen, id, shown, kept)));
}

function fold({ db: { $client } }: Platen, blogId: number, shown: string, kept: string): void {
  const old = `FROM views WHERE blog_id = $blogId AND day > '' AND day < $shown ORDER BY day, count, post_id LIMIT ${MOST_AT_ONCE}`;
  const run = (statement: string, given: Record<string, string | number>) =>
    $client.query<unknown, [typeof given]>(statement).run(given);
  run(
    `INSERT INTO views (post_id, day, count, blog_id)
     SELECT post_id, '', sum(count), $blogId FROM (SELECT post_id, count ${old}) WHERE true GROUP BY post_id
     ON CONFLICT (post_id, day) DO UPDATE SET count = count + excluded.count`,
    { blogId, shown },
  );
  run(`DELETE FROM views WHERE rowid IN (SELECT rowid ${old})`, { blogId, shown });
  run("DELETE FROM referrers WHERE blog_id = $blogId AND day < $kept", { blogId, kept });
}
