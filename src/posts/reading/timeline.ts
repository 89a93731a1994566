import type { Blog } from "../../blogs/blogs";
import type { Platen } from "../../platen";
import { type Cursor, type Selection, STATUSES, TYPES } from "../lists/list-order";
import { pageInTurns } from "../lists/list-pages";
import { firstWithin, postsWithIds } from "../parts/whole-post";
import { contentBytes, type Post, type PostType, type Status } from "../post/post";
import { LARGEST_CONTENT_OF_PAGE } from "../post/post-limits";
import { wordsSought } from "../search/search-index";

export interface TimelineQuery {
  limit: number;
  offset?: number;
  /** Only what is older than that. */
  after?: Cursor;
  /** Only what is newer than that, the nearest of it. */
  before?: Cursor;
  type?: PostType;
  status?: Status;
  /** Words to look for. */
  filter?: string;
  /** "note", "like" …; of an unknown one there are none. */
  kind?: string;
}

/**
 * Posts and pages of a blog in every state but deleted, newest first. A page is shorter than it was asked for where its
 * posts have too much content together.
 */
export async function timelinePosts(
  platen: Platen,
  blog: Blog,
  asked: TimelineQuery,
): Promise<{ posts: Post[]; hasMore: boolean }> {
  const { limit, offset = 0, before, after } = asked;
  const order = { sort: "time", descending: before === undefined } as const;
  const place = { after: before ?? after, offset, limit: limit + 1 };
  const words = await wordsSought(platen, asked.filter);
  const selection = { ...selectionOf(blog, asked), words };
  const found = await pageInTurns(platen, selection, order, place);
  const listed = postsWithIds(platen, blog, found.slice(0, limit));
  const shown = firstWithin(listed, LARGEST_CONTENT_OF_PAGE, (post) => contentBytes(post));
  return { posts: before ? shown.reverse() : shown, hasMore: found.length > shown.length };
}

/** Its key is the post's time, in milliseconds. */
export function cursorOf(post: Post): Cursor {
  return { key: (post.publishedAt ?? post.createdAt).getTime(), id: post.id };
}

function selectionOf(blog: Blog, asked: TimelineQuery): Selection {
  const { status, type, kind, before, after } = asked;
  const between =
    before && after
      ? {
          conditions: ["(coalesce(published_at, created_at), id) < ($afterKey, $afterId)"],
          values: { afterKey: after.key, afterId: after.id },
        }
      : undefined;
  return {
    blogId: blog.id,
    statuses: status ? [status] : STATUSES,
    types: type ? [type] : TYPES,
    kind,
    also: between,
  };
}
