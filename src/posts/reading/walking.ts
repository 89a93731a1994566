/**
 * Finds a page of posts by walking along an index, so that a page costs the same in a blog of any size: one walk for
 * each state and type, merged. The statements name their index, so one that is gone is an error and not a slow list;
 * their values stand behind a plus sign (see queriesOn in database/open).
 */
import type { Platen } from "../../platen";
import { isOfKind } from "../post/kinds";
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
  /** What Micropub clients tell apart: "note", "like" …; of an unknown one there are none. */
  kind?: string;
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
  const arms = armsOf(platen, selection, order.sort);
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
    .query<{ id: number }, [Values]>(`${walks.join(" union all ")} ${ordered} limit +$limit offset +$offset`)
    .all({ ...values, offset, limit })
    .map(({ id }) => id);
}

/**
 * How many there are, counted one by one.
 * @param isMost whether the list has more posts than there are besides
 */
export function countOneByOne(platen: Platen, selection: Selection, isMost = () => false): number {
  const { words, changedSince } = selection;
  if (words === null) return 0;
  const count = (question: string, values = valuesOf(selection)) =>
    platen.db.$client.query<{ n: number }, [Values]>(`select ${question} as n`).get(values)?.n ?? 0;
  const found = words === undefined ? FEW : howManyHave(platen, words, FEW);
  const others = words === undefined || found < A_HANDFUL ? null : besides(selection);
  if (others && isMost())
    return count(
      `(select count(*) from (select rowid as id from post_search where post_search match $words) as found
        where id not in (${others}))`,
    );
  if (found < FEW)
    return count(`(select count(*) ${fromFound(selection)})`, { ...valuesOf(selection), most: FEW });
  const counts = armsOf(platen, selection, changedSince === undefined ? "time" : "updated_at").map(
    (arm) => `(select count(*) ${from(selection, arm)})`,
  );
  return count(counts.join(" + "));
}

/** Posts with the words, or with the tag, that are worth looking at one by one; with more, all posts of the list are looked at in their order. */
const FEW = 5000;
/** So few that nothing costs less than to look at them. */
const A_HANDFUL = 1000;
/** Newest ids first: the index has them in order, so it goes no further than it is asked. */
const FOUND =
  "(select rowid from post_search where post_search match $words order by rowid desc limit +$most)";

/** Posts with the words, counted up to so many. */
function howManyHave(platen: Platen, words: string, most: number): number {
  const query = platen.db.$client.query<{ n: number }, [Values]>(`select count(*) as n from ${FOUND}`);
  return query.get({ words, most })?.n ?? 0;
}

function fromFound(selection: Selection, found = FOUND): string {
  const { statuses, types } = selection;
  const listed = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");
  return `from ${found} as found cross join posts on posts.id = found.rowid
    where ${conditionsOf(selection)} and status in (${listed(statuses)}) and type in (${listed(types)})`;
}

/** A page of a list, and how many posts are on all its pages, where finding the one has told the other. */
export interface FoundPage {
  ids: number[];
  total?: number;
}

/**
 * As `walk`, of what has the words and is published, newest first. Posts with newer ids are mostly the newer ones, so of
 * many only these are looked at, and then whether there are others of that time.
 * @returns undefined where that is not the way to find them
 */
export function newestFound(
  platen: Platen,
  selection: Selection,
  { offset, limit }: Place,
): FoundPage | undefined {
  const { words } = selection;
  if (!words) return { ids: [], total: 0 };
  const wanted = offset + limit;
  const looked = platen.db.$client.query<Looked, [Values]>(
    `with newest as materialized ${FOUND}
     select id, published_at as publishedAt, count(*) over () as total,
       (select count(*) from newest) as n, (select min(rowid) from newest) as oldest
     ${fromFound(selection, "newest")} order by published_at desc, id desc limit +$limit`,
  );
  const isHandful = howManyHave(platen, words, A_HANDFUL) < A_HANDFUL;
  for (let most = isHandful ? A_HANDFUL : 8 * wanted; most <= FEW; most *= 5) {
    const found = looked.all({ ...valuesOf(selection), most, limit: wanted });
    const last = found.at(-1);
    const isAll = isHandful || (last !== undefined && last.n < most);
    if (!isAll && (!last || found.length < wanted)) continue;
    if (!isAll && last && hasOlderIdsSince(platen, selection, last.oldest, last.publishedAt))
      return undefined;
    return { ids: found.slice(offset).map(({ id }) => id), total: isAll ? (last?.total ?? 0) : undefined };
  }
  return undefined;
}

interface Looked {
  id: number;
  publishedAt: number;
  /** Of the list, among all that were looked at: so many, with ids from the oldest on. */
  total: number;
  n: number;
  oldest: number;
}

/** Are there posts of the list that were published then or later, with ids below that? */
function hasOlderIdsSince(platen: Platen, selection: Selection, id: number, publishedAt: number): boolean {
  const { words, also, ...listed } = selection;
  const conditions = [...(also?.conditions ?? []), "id < +$oldest"];
  const newer = {
    ...listed,
    from: Math.max(publishedAt, selection.from ?? publishedAt),
    also: { conditions, values: { ...also?.values, oldest: id } },
  };
  const order = { sort: "published_at", descending: true } as const;
  return walk(platen, newer, order, { offset: 0, limit: 1 }).length > 0;
}

/** The ids of all posts that are not in the list; null where it is of more than a blog, states, types and the time that is up. */
function besides(selection: Selection): string | null {
  const { statuses, types, blogId, until, words, ...more } = selection;
  const isOfMore = Object.values(more).some(
    (part) => part !== undefined && !(Array.isArray(part) && part.length === 0),
  );
  if (isOfMore || (until !== undefined && statuses.some((status) => status !== "published"))) return null;
  const ofBlog = STATUSES.flatMap((status) =>
    TYPES.map((type) => {
      const isListed = statuses.includes(status) && types.includes(type);
      const kind = `blog_id = +$blogId and deleted_at is null and status = '${status}' and type = '${type}'`;
      return isListed ? until !== undefined && `${kind} and published_at >= +$until` : kind;
    }),
  );
  const deleted = "blog_id = +$blogId and deleted_at > 0";
  return ["blog_id < +$blogId", "blog_id > +$blogId", deleted, ...ofBlog]
    .filter((condition) => condition !== false)
    .map((condition) => `select id from posts indexed by posts_by_publication where ${condition}`)
    .join(" union all ");
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
const OF_TAG = "post_tags_of_list";
/** No index of posts: each of those with the tag is looked at. */
const FEW_OF_TAG = "few of a tag";

function armsOf(platen: Platen, selection: Selection, sort: SortKey): Arm[] {
  const { statuses, types } = selection;
  const key = sort === "time" ? "published_at" : sort;
  if (isOfTagAlone(selection, sort))
    return statuses.flatMap((status) =>
      types.map((type) => ({ status, type, isDated: true, key, index: OF_TAG })),
    );
  const byTime = sort === "published_at" || sort === "time";
  const inOrder = byTime ? byPublication(selection) : INDEXES[sort];
  const index = isOfFew(platen, selection) ? FEW_OF_TAG : inOrder;
  return statuses.flatMap((status) =>
    types.flatMap((type): Arm[] => {
      if (status === "published") return [{ status, type, isDated: true, key, index }];
      if (!byTime) return [{ status, type, key, index }];
      const undated =
        sort === "time"
          ? { key: "created_at", index: index === FEW_OF_TAG ? index : "posts_unpublished" }
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
  const isByTime = sort === "time" || (sort === "published_at" && isPublished(selection));
  const others = Object.values(more).filter((part) => part !== undefined && String(part) !== "");
  return tagId !== undefined && isByTime && others.length === 0 && without.every((flag) => flag === "hidden");
}

function isOfFew(platen: Platen, { tagId }: Selection): boolean {
  if (tagId === undefined) return false;
  const tagged = platen.db.$client
    .query<{ n: number }, [Values]>(
      "select count(*) as n from (select 1 from post_tags where tag_id = $tagId limit +$most)",
    )
    .get({ tagId, most: FEW });
  return (tagged?.n ?? 0) < FEW;
}

export function isPublished({ statuses }: Selection): boolean {
  return statuses.every((status) => status === "published");
}

function from(selection: Selection, arm: Arm, ...more: (string | undefined)[]): string {
  const { status, type, index, isDated } = arm;
  const { words } = selection;
  const isBounded = selection.from !== undefined || selection.until !== undefined;
  const conditions = [
    `status = '${status}' and type = '${type}'`,
    isDated === false && "published_at is null",
    isDated && status !== "published" && !isBounded && "published_at is not null",
    words !== undefined && "id in (select rowid from post_search where post_search match $words)",
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

/** All but states, types and words. */
function conditionsOf(selection: Selection, isDated?: boolean): string {
  const { categoryId, notOfCategories = [], kind, also } = selection;
  const conditions = [
    "blog_id = +$blogId and deleted_at is null",
    ...listConditions(selection, isDated),
    selection.changedSince !== undefined && "updated_at >= +$changedSince",
    categoryId !== undefined && (categoryId === null ? "category_id is null" : "category_id = +$categoryId"),
    ...notOfCategories.map((_, number) => `category_id is not +$not${number}`),
    selection.tagId !== undefined &&
      "exists (select 1 from post_tags where post_id = posts.id and tag_id = +$tagId)",
    kind && isOfKind(kind),
    ...(also?.conditions ?? []),
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
  if (key === null) return isDated ? undefined : `id ${comes} +$id`;
  if (sort === "published_at" && isDated === false) return undefined;
  return `(${sort === "title" ? "title collate nocase" : column}, id) ${comes} (+$key, +$id)`;
}
