import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Post, PostRow } from "../post/post";

const MAX_PARTS = 200;

export type SeriesPart = Pick<PostRow, "id" | "slug" | "title" | "summary" | "excerpt" | "properties">;

/** Returns the public posts of a post's series, oldest first. Empty if the post is in no series. */
export function seriesParts(platen: Platen, { blog, series, type }: Post): SeriesPart[] {
  if (series === null || type === "page") return [];
  return partsOf(platen).all({ blogId: blog.id, series, now: platen.now().getTime(), most: MAX_PARTS });
}

const partsOf = prepared((db) => {
  const { id, slug, title, summary, excerpt, properties } = posts;
  return db
    .select({ id, slug, title, summary, excerpt, properties })
    .from(posts)
    .where(
      and(
        eq(posts.blogId, sql.placeholder("blogId")),
        eq(posts.series, sql.placeholder("series")),
        sql`${posts.publishedAt} <= ${sql.placeholder("now")} and ${posts.status} = 'published'
          and ${posts.deletedAt} is null and ${posts.type} = 'post' and ${posts.hidden} = 0`,
      ),
    )
    .orderBy(asc(posts.publishedAt), asc(posts.id))
    .limit(sql.placeholder("most"))
    .prepare();
});

/** Lists names of series, for suggestions. */
export function seriesNames(platen: Platen, blogId: number, most: number): string[] {
  const rows = platen.db
    .selectDistinct({ name: posts.series })
    .from(posts)
    .where(and(eq(posts.blogId, blogId), isNotNull(posts.series)))
    .orderBy(asc(posts.series))
    .limit(most)
    .all();
  return rows.map(({ name }) => name as string);
}
