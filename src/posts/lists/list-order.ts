/**
 * Finds a page of posts by walking along an index, so that a page costs the same in a blog of any size: one walk for
 * each state and type, merged. The statements name their index, so one that is gone is an error and not a slow list;
 * their values stand behind a plus sign (see queriesOn in database/open).
 */
import type { Platen } from "../../platen";
import { IS_TITLED, isOfKind } from "../post/kinds";
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
  /** Both bound the last change; `changedBefore` is not in it. */
  changedSince?: number;
  changedBefore?: number;
  /** null: of none. */
  categoryId?: number | null;
  notOfCategories?: number[];
  /** With these flags off. */
  without?: readonly Flag[];
  tagId?: number;
  /** What Micropub clients tell apart: "note", "like" …; of an unknown one there are none. */
  kind?: string;
}
export type Flag = "hidden" | "skip_archive" | "hide_in_rss" | "no_index_no_follow";
/** Of a statement's parameters. */
export type Values = Record<string, string | number | null>;

export const SORTS = ["title", "created_at", "updated_at", "published_at"] as const;
/** "time" is that of publication, or of creation for what has none. */
type SortKey = (typeof SORTS)[number] | "time";
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
  return placesOf(platen, selection, order, place).map(({ id }) => id);
}

/** The same, each as the cursor that it is. */
export function placesOf(platen: Platen, selection: Selection, order: Order, place: Place): Cursor[] {
  const arms = armsOf(platen, selection, order.sort);
  const values = valuesOf(selection);
  const direction = order.descending ? "desc" : "asc";
  const { after, offset, limit } = place;
  const walks = arms
    .filter((arm) => after === undefined || !isPassed(arm, order, after))
    .map((arm) => `select ${arm.key} as key, id ${from(selection, arm, after && behind(arm, order, after))}`);
  if (walks.length === 0) return [];
  if (after) Object.assign(values, after.key === null ? { id: after.id } : { key: after.key, id: after.id });
  const ordered = `order by key ${order.sort === "title" ? "collate nocase " : ""}${direction}, id ${direction}`;
  return platen.db.$client
    .query<Cursor, [Values]>(`${walks.join(" union all ")} ${ordered} limit +$limit offset +$offset`)
    .all({ ...values, offset, limit });
}

/** How many there are, counted one by one. */
export function countOneByOne(platen: Platen, selection: Selection): number {
  const { changedSince, changedBefore } = selection;
  const isByChange = changedSince !== undefined || changedBefore !== undefined;
  const arms = armsOf(platen, selection, isByChange ? "updated_at" : "time");
  const counts = arms.map((arm) => `(select count(*) ${from(selection, arm)})`);
  const query = platen.db.$client.query<{ n: number }, [Values]>(`select ${counts.join(" + ")} as n`);
  return query.get(valuesOf(selection))?.n ?? 0;
}

/** One of the posts that were looked at, where it is in the list. */
interface PlaceInList extends Cursor {
  /** Does it come after the cursor? */
  isBehind: boolean;
}

/** Of these posts, a handful, those that are in the list, in its order. */
export function amongThem(
  platen: Platen,
  selection: Selection,
  { sort, descending }: Order,
  ids: number[],
  after?: Cursor,
): PlaceInList[] {
  const { statuses, types } = selection;
  const direction = descending ? "desc" : "asc";
  const key = sort === "time" ? "coalesce(published_at, created_at)" : sort;
  const ordered = sort === "title" ? "title collate nocase" : `coalesce(${key}, ${BEFORE_ALL})`;
  const comes = descending ? "<" : ">";
  const behind = after ? `(${ordered}, posts.id) ${comes} (+$key, +$after)` : "1";
  const place: Values = after ? { key: after.key ?? BEFORE_ALL, after: after.id } : {};
  return platen.db.$client
    .query<PlaceInList, [Values]>(
      `select posts.id, ${key} as key, ${behind} as isBehind
       from (select value as id from json_each($ids)) as found cross join posts on posts.id = found.id
       where ${conditionsOf(selection)} and status in (${listed(statuses)}) and type in (${listed(types)})
       order by ${ordered} ${direction}, posts.id ${direction}`,
    )
    .all({ ...valuesOf(selection), ...place, ids: JSON.stringify(ids) });
}

/** In milliseconds: what has no time comes before all that has, as SQLite sorts it. */
const BEFORE_ALL = -9e15;

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
const OF_TAG = "post_tags_of_list";
/** No index of posts: each of those with the tag is looked at. */
const FEW_OF_TAG = "few of a tag";
/** Posts with a tag that are worth looking at one by one; with more, all posts of the list are looked at in their order. */
const FEW = 5000;
/** The same of posts with a title, which articles are sought among: a blog may be all notes. */
const FEW_TITLED = 1000;

function armsOf(platen: Platen, selection: Selection, sort: SortKey): Arm[] {
  const { statuses, types } = selection;
  const key = sort === "time" ? "published_at" : sort;
  if (isOfTagAlone(selection, sort))
    return statuses.flatMap((status) =>
      types.map((type) => ({ status, type, isDated: true, key, index: OF_TAG })),
    );
  const byTime = sort === "published_at" || sort === "time";
  const inOrder = byTime ? byPublication(selection) : INDEXES[sort];
  const index = indexOfFew(platen, selection, byTime) ?? inOrder;
  return statuses.flatMap((status) =>
    types.flatMap((type): Arm[] => {
      if (status === "published") return [{ status, type, isDated: true, key, index }];
      if (!byTime) return [{ status, type, key, index }];
      const undated =
        sort === "time"
          ? { key: "created_at", index: index === inOrder ? "posts_unpublished" : index }
          : { key, index };
      return [
        { status, type, isDated: true, key, index },
        { status, type, isDated: false, ...undated },
      ];
    }),
  );
}

function byPublication({ categoryId, kind }: Selection): string {
  if (categoryId !== undefined) return "posts_of_category";
  return kind === undefined || kind === "article" ? INDEXES.time : "posts_of_kind";
}

/** Does the index of its tag have all that the list is selected and sorted by? */
function isOfTagAlone(selection: Selection, sort: SortKey): boolean {
  const { blogId, statuses, types, tagId, from, until, without = [], ...more } = selection;
  const others = Object.values(more).filter((part) => part !== undefined && String(part) !== "");
  const isAlone = tagId !== undefined && isByPublication(selection, sort);
  return isAlone && others.length === 0 && without.every((flag) => flag === "hidden");
}

/** What leads to a handful that are to be sorted; undefined where that is no shorter than the list in its order. */
function indexOfFew(platen: Platen, { blogId, statuses, types, tagId, kind }: Selection, byTime: boolean) {
  const areFew = (them: string, values: Values, most: number) => {
    const counted = `select count(*) as n from (select 1 from ${them} limit +$most)`;
    const query = platen.db.$client.query<{ n: number }, [Values]>(counted);
    return (query.get({ ...values, most })?.n ?? 0) < most;
  };
  if (tagId !== undefined && areFew("post_tags where tag_id = $tagId", { tagId }, FEW)) return FEW_OF_TAG;
  if (kind !== "article" || !byTime) return undefined;
  const titled = `posts indexed by ${INDEXES.title} where blog_id = +$blogId and deleted_at is null
    and status in (${listed(statuses)}) and type in (${listed(types)}) and ${IS_TITLED}`;
  return areFew(titled, { blogId }, FEW_TITLED) ? INDEXES.title : undefined;
}

export const listed = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");

export function isPublished({ statuses }: Selection): boolean {
  return statuses.every((status) => status === "published");
}

/** Is it in the order of the times that it is bounded by? */
export function isByPublication(selection: Selection, sort: SortKey): boolean {
  return sort === "time" || (sort === "published_at" && isPublished(selection));
}

function from(selection: Selection, arm: Arm, ...more: (string | undefined)[]): string {
  const { status, type, index, isDated } = arm;
  const isBounded = selection.from !== undefined || selection.until !== undefined;
  const conditions = [
    `status = '${status}' and type = '${type}'`,
    isDated === false && "published_at is null",
    isDated && status !== "published" && !isBounded && "published_at is not null",
    ...more,
  ].filter(Boolean);
  if (index === OF_TAG)
    return `from (select post_id as id, listed_at as published_at, status, type, hidden
        from post_tags indexed by ${OF_TAG} where tag_id = +$tagId and listed_at is not null)
      where ${[...listConditions(selection, true), ...conditions].join(" and ")}`;
  if (index === FEW_OF_TAG)
    return `from (select post_id from post_tags indexed by ${OF_TAG}
        where tag_id = +$tagId and status = '${status}' and type = '${type}' and listed_at is not null
      ) as tagged cross join posts on posts.id = tagged.post_id
      where ${[conditionsOf({ ...selection, tagId: undefined }, isDated), ...conditions].join(" and ")}`;
  return `from posts indexed by ${index} where ${[conditionsOf(selection, isDated), ...conditions].join(" and ")}`;
}

/** All but states and types. */
function conditionsOf(selection: Selection, isDated?: boolean): string {
  const { categoryId, notOfCategories = [], kind } = selection;
  const conditions = [
    "blog_id = +$blogId and deleted_at is null",
    ...listConditions(selection, isDated),
    selection.changedSince !== undefined && "updated_at >= +$changedSince",
    selection.changedBefore !== undefined && "updated_at < +$changedBefore",
    categoryId !== undefined && (categoryId === null ? "category_id is null" : "category_id = +$categoryId"),
    ...notOfCategories.map((_, number) => `category_id is not +$not${number}`),
    selection.tagId !== undefined &&
      "exists (select 1 from post_tags where post_id = posts.id and tag_id = +$tagId)",
    kind && isOfKind(kind),
  ];
  return conditions.filter(Boolean).join(" and ");
}

/** Those that the index of a tag knows too. */
function listConditions({ from, until, without = [] }: Selection, isDated?: boolean): string[] {
  const time =
    isDated === undefined ? "coalesce(published_at, created_at)" : isDated ? "published_at" : "created_at";
  const flags = without.map((flag) => `${flag} = 0`);
  const since = from === undefined ? [] : [`${time} >= +$from`];
  return [...since, ...(until === undefined ? [] : [`${time} < +$until`]), ...flags];
}

export function valuesOf(selection: Selection): Values {
  const { blogId, categoryId, notOfCategories = [] } = selection;
  const values: Values = { blogId };
  for (const name of ["from", "until", "changedSince", "changedBefore", "tagId"] as const)
    if (selection[name] !== undefined) values[name] = selection[name];
  if (typeof categoryId === "number") values.categoryId = categoryId;
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
  if (key === null) return isDated ? undefined : `id ${comes} +$id`;
  if (sort === "published_at" && isDated === false) return undefined;
  const place = (ordered: string) => `(${ordered}, id) ${comes} (+$key, +$id)`;
  // SQLite seeks no row of values in which one is collated.
  return sort === "title"
    ? `title collate nocase ${comes}= +$key and ${place("title collate nocase")}`
    : place(column);
}
