import { eq, inArray, sql, sum } from "drizzle-orm";
import { keepingDataVersion } from "../../database/data-version";
import { posts, views } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";

/** post id → readings not written yet. */
const counted = new WeakMap<Platen, Map<number, number>>();

/** Somebody reads the post's page. Only counted here: `keepViews` writes, so that a reader never waits for the disk. */
export function countView(platen: Platen, postId: number): void {
  const counts = counted.get(platen) ?? new Map<number, number>();
  counted.set(platen, counts.set(postId, (counts.get(postId) ?? 0) + 1));
}

/** Adds what was counted to the day's counts (UTC). What is counted and not kept when the power goes is lost. */
export function keepViews(platen: Platen): void {
  const counts = counted.get(platen);
  if (!counts) return;
  const day = platen.now().toISOString().slice(0, "yyyy-mm-dd".length);
  const write = () => {
    for (const [postId, count] of counts)
      platen.db
        .insert(views)
        // A post that was removed meanwhile gets no row, and keeps no other from its own.
        .select(
          platen.db
            .select({
              postId: posts.id,
              day: sql<string>`${day}`.as("day"),
              count: sql<number>`${count}`.as("count"),
            })
            .from(posts)
            .where(eq(posts.id, postId)),
        )
        .onConflictDoUpdate({
          target: [views.postId, views.day],
          set: { count: sql`${views.count} + ${count}` },
        })
        .run();
  };
  keepingDataVersion(platen, () => inTransaction(platen, write));
  // Only now: what could not be written is written the next time.
  counted.delete(platen);
}

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
