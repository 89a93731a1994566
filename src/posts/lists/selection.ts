import type { PostType, Status } from "../post/post";

export const STATUSES = ["published", "draft", "archived"] as const satisfies Status[];
export const TYPES = ["post", "page"] as const satisfies PostType[];

/** A selection of posts in one blog. Deleted posts are never selected. */
export interface Selection {
  blogId: number;
  statuses: readonly Status[];
  types: readonly PostType[];
  /** Earliest publication time in milliseconds, or creation time if there is none. `until` is exclusive. */
  from?: number;
  until?: number;
  changedSince?: number;
  /** Category id; null selects posts without a category. */
  categoryId?: number | null;
  notOfCategories?: number[];
  /** Flags that must be off. */
  without?: readonly Flag[];
  tagId?: number;
  /** Language of the posts. If `isBlogs`, posts without their own language match too. */
  language?: { tag: string; isBlogs: boolean };
  /** Kind of post in Micropub's terms, such as "note" or "like". */
  kind?: string;
  /** FTS5 query from `searchQuery`. */
  words?: string;
}
export type Flag = "hidden" | "skip_archive" | "hide_in_rss" | "no_index_no_follow";

export const SORTS = ["title", "created_at", "updated_at", "published_at"] as const;
/** "time" is the publication time, or the creation time if there is none. */
type SortKey = (typeof SORTS)[number] | "time";
export interface Order {
  sort: SortKey;
  descending: boolean;
}

/** Position after a post. It stays valid when posts change. */
export interface Cursor {
  /** Sort key of the post: its title, or a time in milliseconds. null if the post lacks this time. */
  key: string | number | null;
  id: number;
}

export interface Place {
  after?: Cursor;
  offset: number;
  limit: number;
}
