import { expect, test } from "bun:test";
import { and, desc, eq } from "drizzle-orm";
import { posts } from "../../../src/database/schema";
import { isLive } from "../../../src/posts/post/post";
import { liveAt } from "../../../src/posts/reading/finding-posts";
import { isUnannounced, nextToGoLive } from "../../../src/posts/writing/scheduled-posts";
import { HOUR, START, startPlaten } from "../../support/platen";

const LATER = new Date(START.getTime() + HOUR);
const EARLIER = new Date(START.getTime() - HOUR);

test("program and database agree on which posts are live, for every status, time and deletion", () => {
  const { platen, blog } = startPlaten();
  const row = {
    blogId: blog.id,
    title: "",
    createdAt: START,
    updatedAt: START,
  };
  for (const status of ["published", "draft", "archived"] as const)
    for (const publishedAt of [null, EARLIER, START, LATER])
      for (const deletedAt of [null, EARLIER]) {
        const slug = `${status} ${publishedAt?.getTime()} ${deletedAt?.getTime()}`;
        platen.db
          .insert(posts)
          .values({ ...row, slug, status, publishedAt, deletedAt })
          .run();
      }
  const all = platen.db.select().from(posts).orderBy(posts.id).all();
  const live = platen.db.select().from(posts).where(liveAt(START)).orderBy(posts.id).all();

  expect(live).toEqual(all.filter((post) => isLive(post, START)));
  expect(live.map((post) => post.publishedAt)).toEqual([EARLIER, START]);
  expect(nextToGoLive(platen, START)).toBe(LATER.getTime());
  expect(nextToGoLive(platen, LATER)).toBe(Number.POSITIVE_INFINITY);
});

test("live posts are found by indexes", () => {
  const { platen, blog } = startPlaten();
  const ofBlog = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(and(eq(posts.blogId, blog.id), eq(posts.type, "post"), liveAt(START)))
    .orderBy(desc(posts.publishedAt), desc(posts.id));
  const due = platen.db
    .select({ id: posts.id })
    .from(posts)
    .where(and(liveAt(START), isUnannounced));
  const planOf = (query: typeof ofBlog | typeof due) => {
    const { sql, params } = query.toSQL();
    return platen.db.$client.query(`EXPLAIN QUERY PLAN ${sql}`).all(...(params as string[]));
  };

  expect(planOf(ofBlog)).toEqual([
    expect.objectContaining({
      detail: expect.stringMatching(
        /^SEARCH posts USING COVERING INDEX posts_by_publication .*published_at<\?/,
      ),
    }),
  ]);
  expect(planOf(due)).toEqual([
    expect.objectContaining({
      detail: expect.stringMatching(
        /^SEARCH posts USING (COVERING )?INDEX posts_unannounced \(published_at<\?\)$/,
      ),
    }),
  ]);
});
