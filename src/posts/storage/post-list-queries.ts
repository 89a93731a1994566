import { prepareSql } from "../../database/rows";
import { readInWorker } from "../../database/worker-queries";
import type { Platen } from "../../platen";
import type { PostType, Status } from "../post/post";

export const STATUSES = ["published", "draft", "archived"] as const satisfies Status[];
export const TYPES = ["post", "page"] as const satisfies PostType[];

/** Never matches posts in the trash. */
export interface Selection {
  blogId: number;
  statuses: readonly Status[];
  types: readonly PostType[];
  /** Publication time, or creation time of a post without one. In milliseconds; `until` is exclusive. */
  from?: number;
  until?: number;
  changedSince?: number;
  /** null selects posts without a category. */
  categoryId?: number | null;
  notOfCategories?: number[];
  without?: readonly Flag[];
  tagId?: number;
  /** With `isBlogs`, the tag is the blog's language, and posts without a language match too. */
  language?: { tag: string; isBlogs: boolean };
  kind?: string;
  /** FTS5 query from `searchQuery`. "" matches nothing. */
  words?: string;
}
export type Flag = "hidden" | "skip_archive" | "hide_in_rss" | "no_index_no_follow";

export const SORTS = ["title", "created_at", "updated_at", "published_at"] as const;
type SortKey = (typeof SORTS)[number] | "time";
export type Order = { sort: SortKey; descending: boolean };

export interface Cursor {
  /** Title or time (in milliseconds) by which the list is sorted; null if the post has no such time. */
  key: string | number | null;
  id: number;
}

type Place = { after?: Cursor; offset?: number; limit: number };

const MAX_MAIN_THREAD_OFFSET = 1000;
const SMALL_DATABASE = 10_000;

/**
 * Runs on the main thread. Call this function only for lists that an index sorts, with a small offset.
 * @returns post ids
 */
export function firstPosts(platen: Platen, selection: Selection, order: Order, place: Place): number[] {
  return readOnMainThread<{ id: number }>(platen, pageStatement(selection, order, place)).map(({ id }) => id);
}

/** @returns post ids @throws Refusal (busy) */
export async function pageOfPosts(platen: Platen, selection: Selection, order: Order, place: Place) {
  if (isIndexed(selection, order) && (place.offset ?? 0) <= MAX_MAIN_THREAD_OFFSET)
    return firstPosts(platen, selection, order, place);
  const statements = [pageStatement(selection, order, place)];
  const [rows] = await runListStatements<[{ id: number }]>(platen, statements, selection);
  return rows.map(({ id }) => id);
}

export async function countedPage(platen: Platen, selection: Selection, order: Order, place: Place) {
  type Rows = [{ id: number }, { n: number }];
  const statements = [pageStatement(selection, order, place), countStatement(selection)];
  const [page, [count]] = await runListStatements<Rows>(platen, statements, selection);
  return { ids: page.map(({ id }) => id), total: count?.n ?? 0 };
}

/**
 * Runs in a worker if the database is large or the query is a search. Do not call this function in a
 * transaction: a worker sees committed data only.
 * @throws Refusal (busy)
 */
export async function runListStatements<Rows extends unknown[]>(
  platen: Platen,
  statements: Statement[],
  { words, without }: Pick<Selection, "words" | "without"> = {},
): Promise<{ [At in keyof Rows]: Rows[At][] }> {
  // Only public lists set `without`. Readers' searches must not delay those of authors.
  const source = without ? "readers" : "authors";
  const isSmall = (lastPostId(platen).get()?.id ?? 0) <= SMALL_DATABASE;
  if (words !== undefined || !isSmall) return await readInWorker<Rows>(platen, statements, source);
  return statements.map((one) => readOnMainThread(platen, one)) as { [At in keyof Rows]: Rows[At][] };
}

/** Runs on the main thread. Call this function only for selections that an index covers. */
export function countPosts(platen: Platen, selection: Selection): number {
  return readOnMainThread<{ n: number }>(platen, countStatement(selection))[0]?.n ?? 0;
}

const lastPostId = prepareSql<{ id: number | null }, []>("SELECT max(id) AS id FROM posts");

function readOnMainThread<Row>({ db }: Platen, { sql, values }: Statement): Row[] {
  return db.$client.query<Row, [Values]>(sql).all(values);
}

/**
 * A list is a union of index scans, one for each status and type, which SQLite merges. A search, or a tag
 * list that `isTagIndexed` rejects, sorts all matching posts. Index scans name their index, so that they fail
 * if it is missing. `+` before a parameter keeps SQLite from recompiling the statement for other values.
 */

type Values = Record<string, string | number | null>;
type Statement = { sql: string; values: Values };

const UNDATED = -8_640_000_000_000_001;

function pageStatement(selection: Selection, order: Order, { after, offset = 0, limit }: Place): Statement {
  const scans = scansOf(selection, order.sort);
  if (scans.length === 0) return { sql: "select null as id where false", values: {} };
  const selects = scans.map(({ table, key, conditions }) => {
    const all = after ? [...conditions, ...afterCursor(key, order)] : conditions;
    return `select ${key} as key, id from ${table} where ${all.join(" and ")}`;
  });
  const direction = order.descending ? "desc" : "asc";
  const collation = order.sort === "title" ? "collate nocase" : "";
  const ordered = `order by key ${collation} ${direction}, id ${direction} limit +$limit offset +$offset`;
  const cursor: Values = after ? { key: after.key ?? UNDATED, after: after.id } : {};
  return {
    sql: `select id from (${selects.join(" union all ")} ${ordered})`,
    values: { ...valuesOf(selection), ...cursor, offset, limit },
  };
}

function countStatement(selection: Selection): Statement {
  const scans = scansOf(selection, selection.changedSince === undefined ? "time" : "updated_at");
  const countOf = ({ table, conditions }: Scan) =>
    `(select count(*) from ${table} where ${conditions.join(" and ")})`;
  const counts = scans.map(countOf);
  return { sql: `select ${counts.join(" + ")} as n`, values: valuesOf(selection) };
}

function afterCursor(key: string, { sort, descending }: Order): string[] {
  const operator = descending ? "<" : ">";
  // SQLite cannot seek a row value with a collated column. The first condition gives the index a range.
  return sort === "title"
    ? [`title collate nocase ${operator}= +$key`, `(title collate nocase, id) ${operator} (+$key, +$after)`]
    : [`(${key}, id) ${operator} (+$key, +$after)`];
}

function isIndexed(selection: Selection, { sort }: Order): boolean {
  if (selection.words !== undefined || selection.kind !== undefined) return false;
  return selection.tagId === undefined || isTagIndexed(selection, sort);
}

interface Scan extends Record<"table" | "key", string> {
  conditions: string[];
}

function scansOf(selection: Selection, sort: Order["sort"]): Scan[] {
  const { statuses, types } = selection;
  const each = statuses.flatMap((status) => types.map((type) => ({ status, type })));
  if (isTagIndexed(selection, sort)) return each.map((one) => tagScan(selection, one));
  if (selection.words !== undefined || selection.tagId !== undefined) return [searchScan(selection, sort)];
  return each.flatMap((one) => indexScans(selection, one, sort));
}

type StatusAndType = { status: Status; type: PostType };
const isOfStatusAndType = ({ status, type }: StatusAndType) => `status = '${status}' and type = '${type}'`;

const INDEXES = {
  title: "posts_by_title",
  created_at: "posts_by_creation",
  updated_at: "posts_by_update",
};
const EITHER_TIME = "coalesce(published_at, created_at)";

function indexScans(selection: Selection, one: StatusAndType, sort: Order["sort"]): Scan[] {
  const scan = (index: string, key: string, time: string, ...more: string[]): Scan => ({
    table: `posts indexed by ${index}`,
    key,
    conditions: [isOfStatusAndType(one), ...more, ...conditionsOf(selection, time)],
  });
  const isPublished = one.status === "published";
  if (sort !== "time" && sort !== "published_at")
    return [scan(INDEXES[sort], sort, isPublished ? "published_at" : EITHER_TIME)];
  const isOfCategory = selection.categoryId !== undefined;
  const index = isOfCategory ? "posts_of_category" : "posts_by_publication";
  if (isPublished) return [scan(index, "published_at", "published_at")];
  const undated = isOfCategory || sort === "published_at" ? index : "posts_unpublished";
  return [
    scan(index, "published_at", "published_at", "published_at is not null"),
    scan(undated, sort === "time" ? "created_at" : `${UNDATED}`, "created_at", "published_at is null"),
  ];
}

function isTagIndexed(selection: Selection, sort: Order["sort"]): boolean {
  const { blogId, statuses, types, tagId, from, until, without = [], ...more } = selection;
  const isByTime =
    sort === "time" || (sort === "published_at" && statuses.every((one) => one === "published"));
  const hasMore = Object.values(more).some((value) => value !== undefined && String(value) !== "");
  return tagId !== undefined && isByTime && !hasMore && without.every((flag) => flag === "hidden");
}

function tagScan(selection: Selection, one: StatusAndType): Scan {
  return {
    table: `(select post_id as id, listed_at, status, type, hidden
      from post_tags indexed by post_tags_of_list where tag_id = +$tagId and listed_at is not null)`,
    key: "listed_at",
    conditions: [isOfStatusAndType(one), ...timeAndFlagConditions(selection, "listed_at")],
  };
}

function searchScan(selection: Selection, sort: Order["sort"]): Scan {
  const { words, statuses, types } = selection;
  const found =
    words === undefined
      ? "select post_id as found from post_tags where tag_id = +$tagId"
      : words === ""
        ? "select null as found where false"
        : "select rowid as found from post_search where post_search match $words";
  const dates = { time: EITHER_TIME, published_at: `coalesce(published_at, ${UNDATED})` };
  return {
    table: `(${found}) cross join posts on posts.id = found`,
    key: sort === "time" || sort === "published_at" ? dates[sort] : sort,
    conditions: [
      `status in (${quoted(statuses)}) and type in (${quoted(types)})`,
      ...conditionsOf(selection, EITHER_TIME),
    ],
  };
}

const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");

function conditionsOf(selection: Selection, time: string): string[] {
  const { changedSince, categoryId, notOfCategories = [], tagId, language, kind } = selection;
  const conditions = ["blog_id = +$blogId and deleted_at is null"];
  conditions.push(...timeAndFlagConditions(selection, time));
  if (changedSince !== undefined) conditions.push("updated_at >= +$changedSince");
  if (categoryId !== undefined)
    conditions.push(categoryId === null ? "category_id is null" : "category_id = +$categoryId");
  conditions.push(...notOfCategories.map((_, number) => `category_id is not +$not${number}`));
  if (tagId !== undefined)
    conditions.push("exists (select 1 from post_tags where post_id = posts.id and tag_id = +$tagId)");
  if (language !== undefined)
    conditions.push(`(language = +$language${language.isBlogs ? " or language is null" : ""})`);
  if (kind !== undefined) conditions.push(isOfKind(kind));
  return conditions;
}

function timeAndFlagConditions({ from, until, without = [] }: Selection, time: string): string[] {
  const conditions = without.map((flag) => `${flag} = 0`);
  if (from !== undefined) conditions.push(`${time} >= +$from`);
  if (until !== undefined) conditions.push(`${time} < +$until`);
  return conditions;
}

/** May contain more values than a statement has parameters. SQLite ignores the others. */
function valuesOf(selection: Selection): Values {
  const { blogId, from = null, until = null, changedSince = null, tagId = null } = selection;
  const { categoryId = null, language, notOfCategories = [], words = null } = selection;
  const unwanted = Object.fromEntries(notOfCategories.map((id, number) => [`not${number}`, id]));
  const values = { blogId, from, until, changedSince, tagId, categoryId, words, ...unwanted };
  return { ...values, language: language?.tag ?? null };
}

const KINDS: Record<string, string> = {
  rsvp: "rsvp",
  reply: "in-reply-to",
  repost: "repost-of",
  like: "like-of",
  bookmark: "bookmark-of",
  checkin: "checkin",
  video: "video",
  photo: "photo",
};

function isOfKind(kind: string): string {
  const value = (property?: string) => `properties -> '$."${property}"'`;
  if (kind !== "article" && kind !== "note")
    return Object.hasOwn(KINDS, kind) ? `${value(KINDS[kind])} is not null` : "false";
  const isPlain = Object.values(KINDS).map((property) => `${value(property)} is null`);
  return `title ${kind === "note" ? "=" : "<>"} '' and (properties = '{}' or (${isPlain.join(" and ")}))`;
}
