import { prepared } from "../../database/prepared";
import { readInWorker } from "../../database/reader/reader";
import { IN_INDEX_OF_KINDS, KINDS, MARKS } from "../../database/schema";
import type { Platen } from "../../platen";
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

interface Place {
  after?: Cursor;
  offset: number;
  limit: number;
}

/** Reads lists: cheap index reads run on the main thread, all others in the reader thread. */

const MAX_MAIN_THREAD_OFFSET = 1000;
/** Number of posts up to which every query except a search is fast. */
const SMALL_DATABASE = 10_000;

/**
 * Reads the post ids of one page on the main thread. Use it for first pages of indexed lists and for adjacent posts.
 */
export function firstPosts(platen: Platen, selection: Selection, order: Order, place: Place): number[] {
  return readHere<{ id: number }>(platen, pageStatement(selection, order, place)).map(({ id }) => id);
}

/** Reads the post ids of one page. @throws Refusal (busy) on timeout */
export async function pageOfPosts(
  platen: Platen,
  selection: Selection,
  order: Order,
  place: Place,
): Promise<number[]> {
  if (isIndexed(selection, order) && place.offset <= MAX_MAIN_THREAD_OFFSET)
    return firstPosts(platen, selection, order, place);
  const [rows] = await runListStatements<[{ id: number }]>(
    platen,
    [pageStatement(selection, order, place)],
    selection,
  );
  return rows.map(({ id }) => id);
}

export async function countedPage(
  platen: Platen,
  selection: Selection,
  order: Order,
  place: Place,
): Promise<{ ids: number[]; total: number }> {
  const statements = [pageStatement(selection, order, place), countStatement(selection)];
  const [page, [count]] = await runListStatements<[{ id: number }, { n: number }]>(
    platen,
    statements,
    selection,
  );
  return { ids: page.map(({ id }) => id), total: count?.n ?? 0 };
}

/** Runs in the reader thread if the database is large or the query is a search. Do not call it in a transaction. */
export async function runListStatements<Rows extends unknown[]>(
  platen: Platen,
  statements: Statement[],
  { words }: Pick<Selection, "words"> = {},
): Promise<{ [At in keyof Rows]: Rows[At][] }> {
  if (words !== undefined || !isSmallDatabase(platen)) return await readInWorker<Rows>(platen, statements);
  return statements.map((one) => readHere(platen, one)) as { [At in keyof Rows]: Rows[At][] };
}

/** Counts posts with a covering index. */
export function countPosts(platen: Platen, selection: Selection): number {
  return readHere<{ n: number }>(platen, countStatement(selection))[0]?.n ?? 0;
}

function isSmallDatabase(platen: Platen): boolean {
  return (lastPostId(platen).get()?.id ?? 0) <= SMALL_DATABASE;
}

const lastPostId = prepared((db) =>
  db.$client.query<{ id: number | null }, []>("SELECT max(id) AS id FROM posts"),
);

function readHere<Row>({ db }: Platen, { sql, values }: Statement): Row[] {
  return db.$client.query<Row, [Values]>(sql).all(values);
}

/**
 * Builds the SQL of lists. A list is a union of index scans, one per status and type, which SQLite merges. A search,
 * or a tag with other filters, starts from the matching posts and sorts them. Statements name their index, so that
 * they fail if it is missing. A plus sign before a value hides it from the query planner (see database/open).
 */

type Values = Record<string, string | number | null>;
interface Statement {
  sql: string;
  values: Values;
}

/** Selects the ids of one page. Equal keys are ordered by id. */
function pageStatement(selection: Selection, order: Order, { after, offset, limit }: Place): Statement {
  const walks = walksOf(selection, order.sort).filter((walk) => !after || !isPassed(walk, order, after));
  const values = { ...valuesOf(selection), ...cursorValues(after), offset, limit };
  if (walks.length === 0) return { sql: "select null as id where false", values: {} };
  const selects = walks.map((walk) => {
    const conditions = [...walk.conditions, ...(after ? isBehind(walk, order, after) : [])];
    return `select ${walk.key} as key, id from ${walk.table} where ${conditions.join(" and ")}`;
  });
  const direction = order.descending ? "desc" : "asc";
  const collation = order.sort === "title" ? "collate nocase" : "";
  const ordered = `order by key ${collation} ${direction}, id ${direction} limit +$limit offset +$offset`;
  return { sql: `select id from (${selects.join(" union all ")} ${ordered})`, values };
}

/** Selects the number of posts as column `n`. */
function countStatement(selection: Selection): Statement {
  const walks = walksOf(selection, selection.changedSince === undefined ? "time" : "updated_at");
  const counts = walks.map(
    ({ table, conditions }) => `(select count(*) from ${table} where ${conditions.join(" and ")})`,
  );
  return { sql: `select ${counts.join(" + ")} as n`, values: valuesOf(selection) };
}

/** Whether an index returns the first page without reading other posts. */
function isIndexed({ words, tagId, kind, ...selection }: Selection, { sort }: Order): boolean {
  if (words !== undefined || kind !== undefined) return false;
  return tagId === undefined || isTagIndexed({ ...selection, tagId }, sort);
}

/** A scan of posts or tags. `key` is the sort key; an index returns the rows in its order. */
interface Walk {
  table: string;
  key: string;
  conditions: string[];
  /** Whether all posts have a publication time (true), none (false) or some (undefined). */
  isDated?: boolean;
}

const INDEXES: Record<Order["sort"], string> = {
  title: "posts_by_title",
  created_at: "posts_by_creation",
  updated_at: "posts_by_update",
  published_at: "posts_by_publication",
  time: "posts_by_publication",
};

function walksOf(selection: Selection, sort: Order["sort"]): Walk[] {
  const { statuses, types } = selection;
  const each = statuses.flatMap((status) => types.map((type) => ({ status, type })));
  if (isTagIndexed(selection, sort)) return each.map((one) => tagWalk(selection, one, sort));
  if (selection.words !== undefined || selection.tagId !== undefined) return [matchesWalk(selection, sort)];
  return each.flatMap((one) => indexWalks(selection, one, sort));
}

interface StatusAndType {
  status: Status;
  type: PostType;
}
const isOfStatusAndType = ({ status, type }: StatusAndType) => `status = '${status}' and type = '${type}'`;

/** Drafts and archived posts may lack a publication time, so those without one get a separate scan. */
function indexWalks(selection: Selection, one: StatusAndType, sort: Order["sort"]): Walk[] {
  const byPublication = sort === "time" || sort === "published_at";
  const index = byPublication ? publicationIndex(selection) : INDEXES[sort];
  const walk = (isDated: boolean | undefined, key: string, at = index, ...more: string[]): Walk => ({
    table: `posts indexed by ${at}`,
    key,
    isDated,
    conditions: [isOfStatusAndType(one), ...more, ...conditionsOf(selection, isDated)],
  });
  if (!byPublication) return [walk(one.status === "published" ? true : undefined, sort)];
  if (one.status === "published") return [walk(true, "published_at")];
  const undated = index === INDEXES.time && sort === "time" ? "posts_unpublished" : index;
  return [
    walk(true, "published_at", index, "published_at is not null"),
    walk(false, sort === "time" ? "created_at" : "published_at", undated, "published_at is null"),
  ];
}

function publicationIndex({ categoryId, kind }: Selection): string {
  if (categoryId !== undefined) return "posts_of_category";
  return kind === undefined || kind === "article" ? INDEXES.time : "posts_of_kind";
}

/** Whether the tag's index covers all filters and the order. */
function isTagIndexed(selection: Selection, sort: Order["sort"]): boolean {
  const { blogId, statuses, types, tagId, from, until, without = [], ...more } = selection;
  const isByTime =
    sort === "time" || (sort === "published_at" && statuses.every((one) => one === "published"));
  const hasMore = Object.values(more).some((value) => value !== undefined && String(value) !== "");
  return tagId !== undefined && isByTime && !hasMore && without.every((flag) => flag === "hidden");
}

function tagWalk(selection: Selection, one: StatusAndType, sort: Order["sort"]): Walk {
  const key = sort === "time" ? "published_at" : sort;
  return {
    table: `(select post_id as id, listed_at as published_at, status, type, hidden
      from post_tags indexed by post_tags_of_list where tag_id = +$tagId and listed_at is not null)`,
    key,
    isDated: true,
    conditions: [isOfStatusAndType(one), ...timeAndFlagConditions(selection, true)],
  };
}

/** Scans posts that match a search or tag. SQLite sorts them. */
function matchesWalk(selection: Selection, sort: Order["sort"]): Walk {
  const { words, statuses, types } = selection;
  const found =
    words === undefined
      ? "select post_id as found from post_tags where tag_id = +$tagId"
      : words === ""
        ? "select null as found where false"
        : "select rowid as found from post_search where post_search match $words";
  return {
    table: `(${found}) cross join posts on posts.id = found`,
    key: sort === "time" ? "coalesce(published_at, created_at)" : sort,
    conditions: [
      `status in (${quoted(statuses)}) and type in (${quoted(types)})`,
      ...conditionsOf(selection, undefined),
    ],
  };
}

const quoted = (names: readonly string[]) => names.map((name) => `'${name}'`).join(", ");

/** Returns all conditions except status and type. */
function conditionsOf(selection: Selection, isDated: boolean | undefined): string[] {
  const { changedSince, categoryId, notOfCategories = [], tagId, language, kind } = selection;
  const conditions = ["blog_id = +$blogId and deleted_at is null"];
  conditions.push(...timeAndFlagConditions(selection, isDated));
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

function timeAndFlagConditions({ from, until, without = [] }: Selection, isDated: boolean | undefined) {
  const times = {
    true: "published_at",
    false: "created_at",
    undefined: "coalesce(published_at, created_at)",
  };
  const time = times[`${isDated}`];
  const conditions = without.map((flag) => `${flag} = 0`);
  if (from !== undefined) conditions.push(`${time} >= +$from`);
  if (until !== undefined) conditions.push(`${time} < +$until`);
  return conditions;
}

function valuesOf(selection: Selection): Values {
  const { blogId, categoryId, language, notOfCategories = [] } = selection;
  const values: Values = { blogId };
  if (language !== undefined) values.language = language.tag;
  for (const name of ["from", "until", "changedSince", "tagId"] as const)
    if (selection[name] !== undefined) values[name] = selection[name];
  if (selection.words) values.words = selection.words;
  if (typeof categoryId === "number") values.categoryId = categoryId;
  for (const [number, id] of notOfCategories.entries()) values[`not${number}`] = id;
  return values;
}

function cursorValues(after: Cursor | undefined): Values {
  if (!after) return {};
  return after.key === null ? { after: after.id } : { key: after.key, after: after.id };
}

/** Whether the cursor is past the end of the scan. SQLite sorts null first. */
function isPassed({ isDated }: Walk, { sort, descending }: Order, { key }: Cursor): boolean {
  if (sort !== "published_at" || isDated === undefined) return false;
  return key === null ? isDated && descending : !isDated && !descending;
}

function isBehind({ key: column, isDated }: Walk, { sort, descending }: Order, { key }: Cursor): string[] {
  const comes = descending ? "<" : ">";
  if (sort === "published_at" && isDated === undefined) return [isBehindWithNulls(comes, key)];
  if (key === null) return isDated ? [] : [`id ${comes} +$after`];
  if (sort === "published_at" && isDated === false) return [];
  // SQLite cannot seek a row value that contains a collated column.
  return sort === "title"
    ? [`title collate nocase ${comes}= +$key`, `(title collate nocase, id) ${comes} (+$key, +$after)`]
    : [`(${column}, id) ${comes} (+$key, +$after)`];
}

function isBehindWithNulls(comes: "<" | ">", key: Cursor["key"]): string {
  const isBehindNull = `published_at is null and id ${comes} +$after`;
  if (key === null)
    return comes === "<" ? `(${isBehindNull})` : `(published_at is not null or ${isBehindNull})`;
  const isBehindKey = `(published_at, id) ${comes} (+$key, +$after)`;
  return comes === "<" ? `(published_at is null or ${isBehindKey})` : isBehindKey;
}

const MARKED = Object.keys(MARKS);

/** SQL condition for posts with a title. It must match the index posts_by_title. */
const IS_TITLED = "title collate nocase > ''";

/** Returns the SQL condition for a kind of post. An unknown kind matches nothing. */
function isOfKind(kind: string): string {
  if (kind === "article") return `${IS_TITLED} and (properties = '{}' or ${KINDS} = 0)`;
  const isFound = kind === "note" ? `${KINDS} = 1` : `(${KINDS}) & ${maskOf(kind)} <> 0`;
  return `${IN_INDEX_OF_KINDS} and ${isFound}`;
}

function maskOf(kind: string): number {
  const number = MARKED.indexOf(kind);
  return number < 0 ? 0 : 2 ** (number + 1);
}
