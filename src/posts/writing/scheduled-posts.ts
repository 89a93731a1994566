import { and, asc, sql } from "drizzle-orm";
import { blogOfRow, isNotBeingRemoved } from "../../blogs/blogs";
import { prepared } from "../../database/prepared";
import { posts } from "../../database/schema";
import { inTransaction } from "../../database/transactions";
import type { Platen } from "../../platen";
import type { Author, Post } from "../post/post";
import { isUnannounced, liveAt, nextToGoLive } from "../reading/finding-posts";
import { changePost, recordPostEvent, type Saved } from "./saving";

export function publishPost(platen: Platen, author: Author, post: Post): Saved {
  return changePost(platen, author, post, { status: "published" });
}

export function unpublishPost(platen: Platen, author: Author, post: Post): Saved {
  return changePost(platen, author, post, { status: "draft" });
}

const MAX_EVENTS_PER_CALL = 500;

/**
 * @returns when to call again, in milliseconds since 1970; Infinity if no post is scheduled. A save may
 * require an earlier call.
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
const dueNow = prepared((db) => {
  const due = db.select().from(posts).where(isDue).orderBy(asc(posts.publishedAt), asc(posts.id));
  return due.limit(MAX_EVENTS_PER_CALL).prepare();
});
