import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { pageOfPosts } from "../lists/list-pages";
import { type Cursor, STATUSES, TYPES } from "../lists/selection";
import { contentBytes, type Post, type PostType, type Status } from "../post/post";
import { MAX_PAGE_CONTENT_BYTES } from "../post/post-limits";
import { searchQuery } from "../search/search-query";
import { postsWithIds, takeWithinBytes } from "../storage/stored-posts";

export type TimelineCursor = Cursor & { key: number };

export interface TimelineQuery {
  limit: number;
  offset?: number;
  /** Cursor: returns only older posts. */
  after?: TimelineCursor;
  /** Cursor: returns only newer posts, the nearest first. */
  before?: TimelineCursor;
  type?: PostType;
  status?: Status;
  filter?: string;
  /** Kind of post, such as "note" or "like". An unknown kind matches nothing. */
  kind?: string;
}

/**
 * Lists a blog's posts and pages except deleted ones, newest first. Pages with large posts have fewer than `limit`.
 */
export async function timelinePosts(
  platen: Platen,
  blog: Blog,
  query: TimelineQuery,
): Promise<{ posts: Post[]; hasMore: boolean }> {
  const { limit, offset = 0, before, after, status, type, kind } = query;
  const order = { sort: "time", descending: before === undefined } as const;
  const selection = {
    blogId: blog.id,
    statuses: status ? [status] : STATUSES,
    types: type ? [type] : TYPES,
    kind,
    words: searchQuery(query.filter),
  };
  const place = { after: before ?? after, offset, limit: limit + 1 };
  const ids = await pageOfPosts(platen, selection, order, place);
  const found = postsWithIds(platen, blog, ids);
  const listed = before && after ? found.filter((post) => isOlder(timelineCursor(post), after)) : found;
  const shown = takeWithinBytes(listed.slice(0, limit), MAX_PAGE_CONTENT_BYTES, (post) => contentBytes(post));
  return { posts: before ? shown.reverse() : shown, hasMore: listed.length > shown.length };
}

export function timelineCursor(post: Post): TimelineCursor {
  return { key: (post.publishedAt ?? post.createdAt).getTime(), id: post.id };
}

function isOlder(one: TimelineCursor, than: TimelineCursor): boolean {
  return one.key === than.key ? one.id < than.id : one.key < than.key;
}
