import { among, prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import type { Platen } from "../../platen";
import type { Post } from "../post/post";
import { rowsInOrder, type WithIds } from "../storage/stored-posts";
import type { SeriesPart } from "./series";

const MAX_RELATED = 3;
/** Limits the work for posts with many tags, and for tags of many posts. */
const MAX_TAGS_READ = 10;
const MAX_POSTS_PER_TAG = 100;

/** Returns the posts that share most tags with a post; of these the newest. */
export function relatedPosts(platen: Platen, { id }: Post): SeriesPart[] {
  const now = platen.now().getTime();
  const shared = new Map<number, { tags: number; listedAt: number }>();
  for (const { tagId } of tagsOfPost(platen).all(id, MAX_TAGS_READ))
    for (const { postId, listedAt } of newestWithTag(platen).all(tagId, now, id, MAX_POSTS_PER_TAG))
      shared.set(postId, { listedAt, tags: (shared.get(postId)?.tags ?? 0) + 1 });
  const ids = [...shared]
    .sort(([, a], [, b]) => b.tags - a.tags || b.listedAt - a.listedAt)
    .slice(0, MAX_RELATED)
    .map(([postId]) => postId);
  return rowsInOrder(ids, withIds(platen));
}

const tagsOfPost = prepared((db) =>
  db.$client.query<{ tagId: number }, [postId: number, most: number]>(
    "SELECT tag_id AS tagId FROM post_tags WHERE post_id = ? ORDER BY position LIMIT ?",
  ),
);

const newestWithTag = prepared((db) =>
  db.$client.query<
    { postId: number; listedAt: number },
    [tagId: number, now: number, postId: number, most: number]
  >(
    `SELECT post_id AS postId, listed_at AS listedAt FROM post_tags
     WHERE tag_id = ? AND status = 'published' AND type = 'post' AND listed_at <= ? AND hidden = 0 AND post_id <> ?
     ORDER BY listed_at DESC LIMIT ?`,
  ),
);

const withIds = prepared((db) => {
  const { id, slug, title, summary, excerpt, properties } = posts;
  return db
    .select({ id, slug, title, summary, excerpt, properties })
    .from(posts)
    .where(among(posts.id, "ids"))
    .prepare() as WithIds<SeriesPart>;
});
