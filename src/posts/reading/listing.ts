import { and, asc, type Column, count, desc, eq, gte, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { Blog } from "../../blogs/blogs";
import { dataVersion } from "../../database/data-version";
import { categories, contents, posts } from "../../database/schema";
import { malformed } from "../../errors";
import type { Platen } from "../../platen";
import { SOURCE } from "../parts/post-content";
import { matches } from "../parts/search-index";
import { withBelongings } from "../parts/whole-post";
import { liveAt, nextToGoLive, scheduledAt } from "../post/live";
import type { Content, ListedPost, PostType } from "../post/post";
import { HEAD_COLUMNS, POST_TIME } from "../post/post-columns";
import { findCategory } from "../topics/categories";
import { behind, type Cursor } from "./cursor";

/** An id no category has: what an unknown name stands for. */
const NO_CATEGORY = 0;
/** Of content in one page of a list, in bytes; a single post may have more. */
const LARGEST_CONTENT_OF_PAGE = 20_000_000;
/** Counts kept at once; a client may send any number of different filters. */
const MOST_TOTALS = 500;

export const SORTS = ["title", "created_at", "updated_at", "published_at"] as const;
export const LISTED_STATUSES = ["published", "scheduled", "draft", "archived", "all"] as const;

/** Which posts of one blog, in which order (interface.md GET /posts). */
export interface PostFilters {
  status: (typeof LISTED_STATUSES)[number];
  type?: PostType;
  category?: string;
  categoryId?: number;
  excludeCategory?: string;
  excludeCategoryId?: number;
  uncategorized?: boolean;
  search?: string;
  /** Both bound the time of publication, or of creation for what has none. */
  from?: Date;
  /** Without this instant itself. */
  until?: Date;
  /** Bounds the last change. */
  updatedSince?: Date;
  sort: (typeof SORTS)[number];
  descending: boolean;
}

/** One page of them. */
export interface Listing extends PostFilters {
  /** From 1. */
  page: number;
  /** Where the page begins, in place of its number. */
  after?: Cursor;
  limit: number;
  withContent: boolean;
  /** With the content, what it was made from. */
  withSource: boolean;
}

const CONTENT_COLUMNS = { html: sql<string>`${contents.html}`, text: sql<string>`${contents.text}` };
const SOURCE_COLUMNS = { source: SOURCE, sourceType: sql<Content["sourceType"]>`${contents.sourceType}` };

export interface ListedPage {
  posts: ListedPost[];
  /** How many posts all pages hold. */
  total: number;
  /** Where the next page begins; null at the end of the list. */
  next: Cursor | null;
}

/** @throws Refusal (malformed) naming `limit`, where the posts of a page have too much content together */
export function listPosts(platen: Platen, blog: Blog, listing: Listing): ListedPage {
  const at = platen.now();
  const condition = conditionOf(platen, blog, listing, at);
  const { after, page, limit, withContent, withSource } = listing;
  if (withContent) demandModestContent(platen, listing, condition);
  const found = platen.db
    .select({
      ...HEAD_COLUMNS,
      ...(withContent ? CONTENT_COLUMNS : undefined),
      ...(withContent && withSource ? SOURCE_COLUMNS : undefined),
      category: categories,
    })
    .from(posts)
    // SQLite looks into no table of which nothing is asked.
    .leftJoin(contents, eq(contents.postId, posts.id))
    .leftJoin(categories, eq(categories.id, posts.categoryId))
    .where(and(condition, after && isBehind(listing, after)))
    .orderBy(...orderOf(listing))
    .limit(limit + 1)
    .offset(after ? 0 : (page - 1) * limit)
    .all();
  const listed = withBelongings(
    platen,
    found.slice(0, limit).map((row) => ({ ...row, blog })),
  );
  const last = found.length > limit ? listed.at(-1) : undefined;
  return {
    posts: listed,
    total: totalOf(platen, blog, listing, condition, at),
    next: last ? { key: keyOf(last, listing.sort), id: last.id } : null,
  };
}

function demandModestContent(platen: Platen, listing: Listing, condition: SQL | undefined): void {
  const { after, page, limit } = listing;
  const sizes = platen.db
    .select({ size: sql<number>`${posts.htmlBytes} + ${posts.sourceBytes}` })
    .from(posts)
    .where(and(condition, after && isBehind(listing, after)))
    .orderBy(...orderOf(listing))
    .limit(limit)
    .offset(after ? 0 : (page - 1) * limit)
    .all();
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0);
  if (sizes.length < 2 || bytes <= LARGEST_CONTENT_OF_PAGE) return;
  const says = `is too high: the content of these posts is ${Math.ceil(bytes / 1_000_000)} MB, of which one answer holds ${LARGEST_CONTENT_OF_PAGE / 1_000_000}`;
  throw malformed(`limit ${says}.`, { limit: [says] });
}

function conditionOf(platen: Platen, blog: Blog, listing: PostFilters, at: Date): SQL | undefined {
  const { type, category, categoryId, excludeCategory, excludeCategoryId, search, from, until } = listing;
  const named = (name: string) => findCategory(platen, blog.id, name)?.id ?? NO_CATEGORY;
  const except = (id: number) => or(isNull(posts.categoryId), ne(posts.categoryId, id));
  return and(
    eq(posts.blogId, blog.id),
    isNull(posts.deletedAt),
    ofStatus(listing.status, at),
    type && eq(posts.type, type),
    category === undefined ? undefined : eq(posts.categoryId, named(category)),
    categoryId === undefined ? undefined : eq(posts.categoryId, categoryId),
    excludeCategory === undefined ? undefined : except(named(excludeCategory)),
    excludeCategoryId === undefined ? undefined : except(excludeCategoryId),
    listing.uncategorized ? isNull(posts.categoryId) : undefined,
    search?.trim() ? matches(search) : undefined,
    from && gte(POST_TIME, from.getTime()),
    until && lt(POST_TIME, until.getTime()),
    listing.updatedSince && gte(posts.updatedAt, listing.updatedSince),
  );
}

/** "published" means live (contract.md 4). */
function ofStatus(status: Listing["status"], at: Date): SQL | undefined {
  if (status === "all") return undefined;
  if (status === "published") return liveAt(at);
  if (status === "scheduled") return scheduledAt(at);
  return eq(posts.status, status);
}

const KEYS = {
  title: sql`${posts.title} collate nocase`,
  created_at: posts.createdAt,
  updated_at: posts.updatedAt,
  published_at: posts.publishedAt,
} satisfies Record<PostFilters["sort"], SQL | Column>;

function keyOf(post: ListedPost, sort: PostFilters["sort"]): Cursor["key"] {
  if (sort === "title") return post.title;
  if (sort === "created_at") return post.createdAt.getTime();
  if (sort === "updated_at") return post.updatedAt.getTime();
  return post.publishedAt?.getTime() ?? null;
}

/** Drafts and what is archived may have no time of publication. */
function isBehind({ sort, descending, status }: PostFilters, after: Cursor): SQL {
  const mayBeNull = sort === "published_at" && status !== "published" && status !== "scheduled";
  return behind(after, KEYS[sort], descending ? "descending" : "ascending", mayBeNull);
}

/** Equal keys are ordered by id in the same direction. */
function orderOf({ sort, descending }: PostFilters): SQL[] {
  const direction = descending ? desc : asc;
  return [direction(KEYS[sort]), direction(posts.id)];
}

interface Total {
  total: number;
  version: string;
  /** A scheduled post changes the count when its time comes. */
  until: number;
}
const totals = new WeakMap<Platen["db"], Map<string, Total>>();

/** Counting grows with the blog, so a count is kept until something changes. */
function totalOf(platen: Platen, blog: Blog, listing: Listing, condition: SQL | undefined, at: Date): number {
  const { page, after, limit, sort, descending, withContent, withSource, ...filters } = listing;
  const key = JSON.stringify([blog.id, filters]);
  const version = dataVersion(platen);
  const kept = totals.get(platen.db) ?? new Map<string, Total>();
  totals.set(platen.db, kept);
  const known = kept.get(key);
  if (known && known.version === version && at.getTime() < known.until) return known.total;
  const total = platen.db.select({ total: count() }).from(posts).where(condition).get()?.total ?? 0;
  if (kept.size >= MOST_TOTALS) kept.clear();
  kept.set(key, { total, version, until: nextToGoLive(platen, at) });
  return total;
}
