import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { prepareSql } from "../../database/rows";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { LinkedPost, Post } from "../post/post";
import { firstPosts, STATUSES, TYPES } from "../storage/post-list-queries";
import { LINK_COLUMNS, linksWithIds } from "../storage/stored-posts";

const MAX_RELATED = 3;
/** These limits keep the query fast for posts with many tags, and for tags of many posts. */
const MAX_TAGS_READ = 10;
const MAX_POSTS_PER_TAG = 100;

export function relatedPosts(platen: Platen, { id }: Post): LinkedPost[] {
  const now = platen.now().getTime();
  const shared = new Map<number, { tags: number; listedAt: number }>();
  for (const { tagId } of tagsOfPost(platen).all(id))
    for (const { postId, listedAt } of newestWithTag(platen).all(tagId, now, id))
      shared.set(postId, { listedAt, tags: (shared.get(postId)?.tags ?? 0) + 1 });
  const closest = [...shared].sort(([, a], [, b]) => b.tags - a.tags || b.listedAt - a.listedAt);
  const ids = closest.slice(0, MAX_RELATED).map(([postId]) => postId);
  return linksWithIds(platen, ids);
}

const tagsOfPost = prepareSql<{ tagId: number }, [postId: number]>(
  `SELECT tag_id AS tagId FROM post_tags WHERE post_id = ? ORDER BY position LIMIT ${MAX_TAGS_READ}`,
);

type PostWithTag = { postId: number; listedAt: number };
const newestWithTag = prepareSql<PostWithTag, [tagId: number, now: number, postId: number]>(
  `SELECT post_id AS postId, listed_at AS listedAt FROM post_tags
   WHERE tag_id = ? AND status = 'published' AND type = 'post' AND listed_at <= ? AND hidden = 0 AND post_id <> ?
   ORDER BY listed_at DESC LIMIT ${MAX_POSTS_PER_TAG}`,
);

const MAX_PARTS = 200;

export function seriesParts(platen: Platen, { blog, series, type }: Post): LinkedPost[] {
  if (series === null || type === "page") return [];
  const isPublic = sql`${posts.publishedAt} <= ${platen.now().getTime()} and ${posts.status} = 'published'
    and ${posts.deletedAt} is null and ${posts.type} = 'post' and ${posts.hidden} = 0`;
  const isPart = and(eq(posts.blogId, blog.id), eq(posts.series, series), isPublic);
  const parts = platen.db.select(LINK_COLUMNS).from(posts).where(isPart);
  return parts.orderBy(asc(posts.publishedAt), asc(posts.id)).limit(MAX_PARTS).all();
}

export function seriesNames(platen: Platen, blogId: number, most: number): string[] {
  const isInSeries = and(eq(posts.blogId, blogId), isNotNull(posts.series));
  const series = platen.db.selectDistinct({ name: posts.series }).from(posts).where(isInSeries);
  const rows = series.orderBy(asc(posts.series)).limit(most).all();
  return rows.map(({ name }) => name as string);
}

/** By creation time. Includes pages, and posts of every status. */
export function newestPosts(platen: Platen, { id: blogId }: Pick<Blog, "id">, limit: number): LinkedPost[] {
  const all = { blogId, statuses: STATUSES, types: TYPES };
  const ids = firstPosts(platen, all, { sort: "created_at", descending: true }, { limit });
  return linksWithIds(platen, ids);
}
