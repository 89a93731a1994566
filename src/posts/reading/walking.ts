/**
 * Finds a page of posts by walking along an index, so that a page costs the same in a blog of any size: one walk for
 * each state and type, merged. The statements name their index, so one that is gone is an error and not a slow list.
 */
import type { Platen } from "../../platen";
import type { PostType, Status } from "../post/post";

export const STATUSES = ["published", "draft", "archived"] as const satisfies Status[];
export const TYPES = ["post", "page"] as const satisfies PostType[];

/** Which posts of a blog; those that are deleted are in no list. */
export interface Selection {
  blogId: number;
  statuses: readonly Status[];
  types: readonly PostType[];
  /** Both bound the time of publication, or of creation for what has none, in milliseconds; `until` is not in it. */
  from?: number;
  until?: number;
  /** Bounds the last change. */
  changedSince?: number;
  /** null: of none. */
  categoryId?: number | null;
  notOfCategories?: number[];
  /** With these flags off. */
  without?: readonly Flag[];
  tagId?: number;
  /** What `searchQuery` makes of words to look for; null: nothing that could be found. */
  words?: string | null;
  /** More of the kind: conditions on `posts`, and what they name as `$name`. */
  also?: { conditions: string[]; values: Values };
}
export type Flag = "hidden" | "skip_archive" | "hide_in_rss" | "no_index_no_follow";
type Values = Record<string, string | number | null>;

/** "time" is that of publication, or of creation for what has none. */
export type SortKey = "title" | "created_at" | "updated_at" | "published_at" | "time";
export interface Order {
  sort: SortKey;
  descending: boolean;
}

/**
 * A place in an ordered list: behind the post with this key and id. Unlike a number of posts to skip, it stays where it
 * is when others are published, changed or deleted.
 */
export interface Cursor {
  /** What the list is sorted by: a text, or milliseconds; null where the post has no such time. */
  key: string | number | null;
  id: number;
}

export interface Place {
  after?: Cursor;
  offset: number;
  limit: number;
}

/** The ids of the posts at a place of the list, in its order; equal keys go by id in the same direction. */
export function walk(platen: Platen, selection: Selection, order: Order, place: Place): number[] {
  const arms = armsOf(selection, order.sort);
  const values = valuesOf(selection);
  const direction = order.descending ? "desc" : "asc";
  const { after, offset, limit } = place;
  const walks = arms
    .filter((arm) => after === undefined || !isPassed(arm, order, after))
    .map((arm) => `select ${arm.key} as k, id ${from(selection, arm, after && behind(arm, order, after))}`);
  if (walks.length === 0 || selection.words === null) return [];
  if (after) Object.assign(values, after.key === null ? { id: after.id } : { key: after.key, id: after.id });
  const ordered = `order by k ${order.sort === "title" ? "collate nocase " : ""}${direction}, id ${direction}`;
  return platen.db.$client
    .query<{ id: number }, [Values]>(`${walks.join(" union all ")} ${ordered} limit $limit offset $offset`)
    .all({ ...values, offset, limit })
    .map(({ id }) => id);
}

/** How many there are, counted one by one. */
export function countOneByOne(platen: Platen, selection: Selection): number {
  if (selection.words === null) return 0;
  const counts = armsOf(selection, selection.changedSince === undefined ? "time" : "updated_at").map(
    (arm) => `(select count(*) ${from(selection, arm)})`,
  );
  return (
    platen.db.$client
      .query<{ n: number }, [Values]>(`select ${counts.join(" + ")} as n`)
      .get(valuesOf(selection))?.n ?? 0
  );
}

/** One state and type, along one index. */
interface Arm {
  status: Status;
  type: PostType;
  /** Has a time of publication; undefined where some may and others not. */
  isDated?: boolean;
  key: string;
  index: string;
}

const INDEXES: Record<SortKey, string> = {
  title: "posts_by_title",
  created_at: "posts_by_creation",
  updated_at: "posts_by_update",
  published_at: "posts_by_publication",
  time: "posts_by_publication",
};

function armsOf({ statuses, types, categoryId }: Selection, sort: SortKey): Arm[] {
  const byTime = sort === "published_at" || sort === "time";
  const index = byTime && categoryId !== undefined ? "posts_of_category" : INDEXES[sort];
  const key = sort === "time" ? "published_at" : sort;
  return statuses.flatMap((status) =>
    types.flatMap((type): Arm[] => {
      if (status === "published") return [{ status, type, isDated: true, key, index }];
      if (!byTime) return [{ status, type, key, index }];
      const undated = sort === "time" ? { key: "created_at", index: "posts_unpublished" } : { key, index };
      return [
        { status, type, isDated: true, key, index },
        { status, type, isDated: false, ...undated },
      ];
    }),
  );
}

function from(selection: Selection, arm: Arm, ...more: (string | undefined)[]): string {
  const { categoryId, notOfCategories = [], without = [], also } = selection;
  const { status, type, index, isDated } = arm;
  const time =
    isDated === undefined ? "coalesce(published_at, created_at)" : isDated ? "published_at" : "created_at";
  const isBounded = selection.from !== undefined || selection.until !== undefined;
  const conditions = [
    "blog_id = $blogId and deleted_at is null",
    `status = '${status}' and type = '${type}'`,
    isDated === false && "published_at is null",
    isDated && status !== "published" && !isBounded && "published_at is not null",
    selection.from !== undefined && `${time} >= $from`,
    selection.until !== undefined && `${time} < $until`,
    selection.changedSince !== undefined && "updated_at >= $changedSince",
    categoryId !== undefined && (categoryId === null ? "category_id is null" : "category_id = $categoryId"),
    ...notOfCategories.map((_, number) => `category_id is not $not${number}`),
    ...without.map((flag) => `${flag} = 0`),
    selection.tagId !== undefined &&
      "exists (select 1 from post_tags where post_id = posts.id and tag_id = $tagId)",
    selection.words !== undefined && "id in (select rowid from post_search where post_search match $words)",
    ...(also?.conditions ?? []),
    ...more,
  ];
  return `from posts indexed by ${index} where ${conditions.filter(Boolean).join(" and ")}`;
}

function valuesOf(selection: Selection): Values {
  const { blogId, categoryId, notOfCategories = [], words, also } = selection;
  const values: Values = { blogId, ...also?.values };
  for (const name of ["from", "until", "changedSince", "tagId"] as const)
    if (selection[name] !== undefined) values[name] = selection[name];
  if (typeof categoryId === "number") values.categoryId = categoryId;
  if (words) values.words = words;
  notOfCategories.forEach((id, number) => {
    values[`not${number}`] = id;
  });
  return values;
}

/** Is all of the arm before the cursor? What has no time of publication comes before all that has, as SQLite sorts it. */
function isPassed({ isDated }: Arm, { sort, descending }: Order, { key }: Cursor): boolean {
  if (sort !== "published_at" || isDated === undefined) return false;
  return key === null ? isDated && descending : !isDated && !descending;
}

/** The condition "further down the list than the cursor", in an arm that is not passed. */
function behind({ key: column, isDated }: Arm, { sort, descending }: Order, { key }: Cursor) {
  const comes = descending ? "<" : ">";
  if (key === null) return isDated ? undefined : `id ${comes} $id`;
  if (sort === "published_at" && isDated === false) return undefined;
  return `(${sort === "title" ? "title collate nocase" : column}, id) ${comes} ($key, $id)`;
}
