import { and, asc, sql } from "drizzle-orm";
import { type Blog, blogOfRow, isNotBeingRemoved } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import type { Author, Post, PostRow } from "../post/post";
import { isUnannounced, liveAt, nextToGoLive } from "../reading/finding-posts";
import { indexPost, removeFromIndex } from "../search/search-index";
import { unusedSlug } from "../storage/slugs";
import { contentOf, postOfRow } from "../storage/stored-posts";
import { changePost, recordEventIfDue, recordPostEvent, type Saved, updatePostFields } from "./saving";

export function publishPost(platen: Platen, author: Author, post: Post): Saved {
  return changePost(platen, author, post, { status: "published" });
}

/** Unpublishes a post and keeps its publication time. */
export function unpublishPost(platen: Platen, author: Author, post: Post): Saved {
  return changePost(platen, author, post, { status: "draft" });
}

export function deletePost(platen: Platen, post: Post): void {
  const at = platen.now();
  inTransaction(platen, () => {
    recordEventIfDue(platen, post, at);
    const after = updatePostFields(platen, post.id, { deletedAt: at });
    removeFromIndex(platen, post.id);
    recordPostEvent(platen, { blog: post.blog, after, at });
  });
}

/** Restores a deleted post. The post gets another slug if its own is taken. */
export function undeletePost(platen: Platen, blog: Blog, deleted: PostRow): Post {
  return inTransaction(platen, () => {
    const at = platen.now();
    const slug = unusedSlug(platen, blog.id, deleted.slug, deleted.id);
    const row = updatePostFields(platen, deleted.id, { deletedAt: null, slug, updatedAt: at });
    indexPost(platen, row, contentOf(platen, row.id).text);
    recordPostEvent(platen, { blog, after: row, at });
    return postOfRow(platen, row, blog);
  });
}

const MAX_EVENTS_PER_CALL = 500;

/**
 * Records the publication of scheduled posts that are due.
 * @returns time of the next call in milliseconds, unless a write comes first
 */
export function publishDuePosts(platen: Platen): number {
  const at = platen.now();
  const duePosts = () => dueNow(platen).all({ at: at.getTime() });
  if (duePosts().length > 0)
    inTransaction(platen, () => {
      for (const after of duePosts()) recordPostEvent(platen, { blog: blogOfRow(platen, after), after, at });
    });
  return duePosts().length > 0 ? at.getTime() : nextToGoLive(platen, at);
}

const isDue = and(liveAt(sql.placeholder("at")), isUnannounced, isNotBeingRemoved(posts.blogId));
const dueNow = prepared((db) =>
  db
    .select()
    .from(posts)
    .where(isDue)
    .orderBy(asc(posts.publishedAt), asc(posts.id))
    .limit(MAX_EVENTS_PER_CALL)
    .prepare(),
);
