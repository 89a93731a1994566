import type { PostType, Status } from "../post/post";

export const STATUSES = ["published", "draft", "archived"] as const satisfies Status[];
export const TYPES = ["post", "page"] as const satisfies PostType[];

/** Posts of one blog without deleted ones. */
export interface Selection {
  blogId: number;
  statuses: readonly Status[];
  types: readonly PostType[];
  /** Publication time, or creation time if there is none, in milliseconds; `until` is exclusive. */
  from?: number;
  until?: number;
  changedSince?: number;
  /** null: posts without a category */
  categoryId?: number | null;
  notOfCategories?: number[];
  /** Only posts with these flags off. */
  without?: readonly Flag[];
  tagId?: number;
  /** As Micropub clients name them: "note", "like" */
  kind?: string;
  /** An FTS5 query, see `searchQuery`. */
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
  /** Text or milliseconds; null if the post has no such time. */
  key: string | number | null;
  id: number;
}

export interface Place {
  after?: Cursor;
  offset: number;
  limit: number;
}
