import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { keepingDataVersion } from "../../database/data-version";
import { posts } from "../../database/schema";
import { forgetSetting, keepSetting, keptSetting } from "../../database/settings/kept-settings";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { excerptOf } from "./post-content";

/** What is kept by this name, from migration 0002 until all posts that are older have an excerpt: the id of the last that has. */
const MADE_UP_TO = "excerpts made up to post";
/** Posts in one transaction, which others wait for. */
const AT_ONCE = 100;

/**
 * Makes excerpts for some of the posts that are older than excerpts; nobody sees the difference (see excerptOf). To be
 * called again and again.
 * @returns whether there are more
 */
export function makeOlderExcerpts(platen: Platen): boolean {
  const { db } = platen;
  const done = keptSetting(platen, MADE_UP_TO);
  if (done === undefined) return false;
  const some = db
    .select({ id: posts.id, excerpt: posts.excerpt })
    .from(posts)
    .where(and(gt(posts.id, Number(done)), isNull(posts.excerpt)))
    .orderBy(asc(posts.id))
    .limit(AT_ONCE)
    .all();
  const last = some.at(-1);
  const write = () => {
    for (const post of some)
      db.update(posts)
        .set({ excerpt: excerptOf(platen, post) })
        .where(eq(posts.id, post.id))
        .run();
    if (last) keepSetting(platen, MADE_UP_TO, `${last.id}`);
    else forgetSetting(platen, MADE_UP_TO);
  };
  keepingDataVersion(platen, () => inTransaction(platen, write));
  return last !== undefined;
}
