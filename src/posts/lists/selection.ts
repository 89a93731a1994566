/** Which posts a list has, in which order, and a place in it. */
import type { PostType, Status } from "../post/post";

export const STATUSES = ["published", "draft", "archived"] as const satisfies Status[];
export const TYPES = ["post", "page"] as const satisfies PostType[];

/** Posts of one blog; deleted ones are in no list. */
export interface Selection {
  blogId: number;
  statuses: readonly Status[];
  types: readonly PostType[];
  /** Bounds of the publication time, or the creation time of a post without one, in milliseconds; `until` is exclusive. */
  from?: number;
  until?: number;
  /** Earliest last change, in milliseconds. */
  changedSince?: number;
  /** null: posts without a category. */
  categoryId?: number | null;
  notOfCategories?: number[];
  /** Posts with these flags off. */
  without?: readonly Flag[];
  tagId?: number;
  /** Kind of post that Micropub clients tell apart: "note", "like" …; an unknown one lists nothing. */
  kind?: string;
  /** An FTS5 query, see `searchQuery`. */
  words?: string;
}
export type Flag = "hidden" | "skip_archive" | "hide_in_rss" | "no_index_no_follow";

export const SORTS = ["title", "created_at", "updated_at", "published_at"] as const;
/** "time" is the publication time, or the creation time of a post without one. */
type SortKey = (typeof SORTS)[number] | "time";
export interface Order {
  sort: SortKey;
  descending: boolean;
}

/** The place after the post with this key and id. It stays valid when other posts are published, changed or deleted. */
export interface Cursor {
  /** Text or milliseconds; null if the post has no such time. */
  key: string | number | null;
  id: number;
}

export interface Place {
  after?: Cursor;
  offset: number;
  limit: number;
}
