import { listBlogs } from "../../blogs/blogs";
import { dateIn } from "../../blogs/time-zone";
import { DAY } from "../../config/units";
import { keepingDataVersion } from "../../database/data-version";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { LONGEST_SPAN } from "./reading-figures";

/** Where readers came from is kept for so long; in days. */
const REFERRERS_KEPT = 400;
/** Of a blog, in one go; the rest has its turn an hour later. */
const MOST_AT_ONCE = 5000;

/**
 * Of a post, days that no page shows one by one become one number; where readers came from is forgotten after some
 * time. What a blog had in all, a number a day, stays.
 */
export function foldOldReadings(platen: Platen): void {
  const daysAgo = (days: number) => dateIn(new Date(platen.now().getTime() - days * DAY), "UTC");
  // A day more: the zone may be another.
  const [shown, kept] = [daysAgo(LONGEST_SPAN + 1), daysAgo(REFERRERS_KEPT)];
  for (const { id } of listBlogs(platen))
    keepingDataVersion(platen, () => inTransaction(platen, () => fold(platen, id, shown, kept)));
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
