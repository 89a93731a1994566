import { and, asc, eq, gt, isNull } from "drizzle-orm";
import { keepingDataVersion } from "../../database/data-version";
import { posts, settings } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import { excerptOf } from "./post-content";

/** A row of `settings`, from migration 0002 until all posts that are older have an excerpt: the id of the last that has. */
const MADE_UP_TO = eq(settings.name, "excerpts made up to post");
/** Posts in one transaction, which others wait for. */
const AT_ONCE = 100;

/**
 * Makes excerpts for some of the posts that are older than excerpts; nobody sees the difference (see excerptOf). To be
 * called again and again.
 * @returns whether there are more
 */
export function makeOlderExcerpts(platen: Platen): boolean {
  const { db } = platen;
  const done = db.select().from(settings).where(MADE_UP_TO).get();
  if (!done) return false;
  const some = db
    .select({ id: posts.id, excerpt: posts.excerpt })
    .from(posts)
    .where(and(gt(posts.id, Number(done.value)), isNull(posts.excerpt)))
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
    if (last)
      db.update(settings)
        .set({ value: `${last.id}` })
        .where(MADE_UP_TO)
        .run();
    else db.delete(settings).where(MADE_UP_TO).run();
  };
  keepingDataVersion(platen, () => inTransaction(platen, write));
  return last !== undefined;
}
