import type { Blog } from "../../blogs/blogs";
import { malformedField } from "../../errors";
import type { Platen } from "../../platen";
import { contentBytes, type Post, type PostType, type Status } from "../post/post";
import { type TopicKind, topicNamed } from "../storage/categories-and-tags";
import { searchQuery } from "../storage/full-text-search";
import type { Cursor, Selection, SORTS } from "../storage/post-list-queries";
import { countedPage, pageOfPosts, STATUSES, TYPES } from "../storage/post-list-queries";
import { postsWithIds, takeWithinBytes } from "../storage/stored-posts";

/** For all posts on one page of a list together. */
const MAX_PAGE_CONTENT_BYTES = 10_000_000;
const NO_TOPIC = -1;

export const LISTED_STATUSES = ["published", "scheduled", "draft", "archived", "all"] as const;

export interface PostFilters {
  status: (typeof LISTED_STATUSES)[number];
  type?: PostType;
  category?: string;
  categoryId?: number;
  excludeCategory?: string;
  excludeCategoryId?: number;
  uncategorized?: boolean;
  tag?: string;
  search?: string;
  /** Earliest publication time, or creation time if a post has none. */
  from?: Date;
  /** Exclusive. */
  until?: Date;
  updatedSince?: Date;
  sort: (typeof SORTS)[number];
  descending: boolean;
}

export interface Listing extends PostFilters {
  page: number;
  /** Replaces the page number. */
  after?: Cursor;
  limit: number;
}

/** @returns `next`: cursor of the next page, or null */
export async function listPosts(platen: Platen, blog: Blog, listing: Listing) {
  const selection = selectionOf(platen, blog, listing);
  const { after, page, limit } = listing;
  const place = { after, offset: after ? 0 : (page - 1) * limit, limit: limit + 1 };
  const { ids, total } = await countedPage(platen, selection, listing, place);
  const posts = postsWithIds(platen, blog, ids.slice(0, limit));
  const last = ids.length > limit ? posts.at(-1) : undefined;
  const next: Cursor | null = last ? { key: keyOf(last, listing.sort), id: last.id } : null;
  return { posts, total, next };
}

export function firstListedIds(platen: Platen, blog: Blog, filters: PostFilters, limit: number) {
  return countedPage(platen, selectionOf(platen, blog, filters), filters, { limit });
}

/** @throws Refusal (malformed) for `limit` if the page has too much content */
export function assertPageSize(heads: Pick<Post, "htmlBytes" | "sourceBytes">[]): void {
  const bytes = contentBytes(...heads);
  if (heads.length < 2 || bytes <= MAX_PAGE_CONTENT_BYTES) return;
  const [total, most] = [bytes, MAX_PAGE_CONTENT_BYTES].map((size) => Math.ceil(size / 1_000_000));
  const message = `is too high: these posts have ${total} MB of content; a response may have ${most} MB`;
  throw malformedField("limit", message);
}

function selectionOf(platen: Platen, blog: Blog, filters: PostFilters): Selection {
  const { status, type } = filters;
  const [from, until] = [filters.from?.getTime(), filters.until?.getTime()];
  const notLive = platen.now().getTime() + 1;
  return {
    blogId: blog.id,
    statuses: status === "all" ? STATUSES : [status === "scheduled" ? "published" : status],
    types: type ? [type] : TYPES,
    from: status === "scheduled" ? Math.max(from ?? notLive, notLive) : from,
    until: status === "published" ? Math.min(until ?? notLive, notLive) : until,
    changedSince: filters.updatedSince?.getTime(),
    words: searchQuery(filters.search),
    ...categoriesOf(platen, blog, filters),
    tagId: idOfNamed(platen, blog, "tag", filters.tag),
  };
}

function categoriesOf(platen: Platen, blog: Blog, filters: PostFilters) {
  const named = (name?: string) => idOfNamed(platen, blog, "category", name);
  const isGiven = (id?: number) => id !== undefined;
  const ids = [filters.categoryId, named(filters.category)].filter(isGiven);
  const notOfCategories = [filters.excludeCategoryId, named(filters.excludeCategory)].filter(isGiven);
  // If the filters by name and by id mean different categories, nothing matches.
  const [categoryId = filters.uncategorized ? null : undefined] = new Set(ids).size > 1 ? [NO_TOPIC] : ids;
  return { categoryId, notOfCategories };
}

function idOfNamed(platen: Platen, blog: Blog, kind: TopicKind, name?: string): number | undefined {
  return name === undefined ? undefined : (topicNamed(platen, kind, blog.id, name)?.id ?? NO_TOPIC);
}

function keyOf(post: Post, sort: PostFilters["sort"]): Cursor["key"] {
  if (sort === "title") return post.title;
  if (sort === "created_at") return post.createdAt.getTime();
  if (sort === "updated_at") return post.updatedAt.getTime();
  return post.publishedAt?.getTime() ?? null;
}

export type TimelineCursor = Cursor & { key: number };

export interface TimelineQuery {
  limit: number;
  offset?: number;
  after?: TimelineCursor;
  /** Returns the oldest posts that are newer than this cursor. */
  before?: TimelineCursor;
  type?: PostType;
  status?: Status;
  filter?: string;
  kind?: string;
}

/** Newest first. Returns fewer than `limit` posts if the posts are large. */
export async function timelinePosts(platen: Platen, blog: Blog, query: TimelineQuery) {
  const { limit, offset = 0, before, after, status, type, kind } = query;
  const order = { sort: "time", descending: before === undefined } as const;
  const selection = {
    blogId: blog.id,
    statuses: status ? [status] : STATUSES,
    types: type ? [type] : TYPES,
    kind,
    words: searchQuery(query.filter),
  };
  const place = { after: before ?? after, offset, limit: limit + 1 };
  const ids = await pageOfPosts(platen, selection, order, place);
  const found = postsWithIds(platen, blog, ids);
  const listed = before && after ? found.filter((post) => isOlder(timelineCursor(post), after)) : found;
  const shown = takeWithinBytes(listed.slice(0, limit), MAX_PAGE_CONTENT_BYTES, (post) => contentBytes(post));
  return { posts: before ? shown.reverse() : shown, hasMore: listed.length > shown.length };
}

export function timelineCursor(post: Post): TimelineCursor {
  return { key: (post.publishedAt ?? post.createdAt).getTime(), id: post.id };
}

function isOlder(one: TimelineCursor, than: TimelineCursor): boolean {
  return one.key === than.key ? one.id < than.id : one.key < than.key;
}
