import type { Blog } from "../../blogs/blogs";
import { malformedField } from "../../errors";
import type { Platen } from "../../platen";
import { countedPage } from "../lists/list-pages";
import { type Cursor, type Selection, type SORTS, STATUSES, TYPES } from "../lists/selection";
import { contentBytes, type Post, type PostType } from "../post/post";
import { MAX_PAGE_CONTENT_BYTES } from "../post/post-limits";
import { searchQuery } from "../search/search-query";
import { topicNamed } from "../topics/topics";

/** An id that no category and no tag has: what an unknown name stands for. */
const NO_TOPIC = -1;

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
  /** By its name; one that is no tag's lists nothing. */
  tag?: string;
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
}

interface ListedPage<Listed> {
  posts: Listed[];
  /** How many posts all pages hold. */
  total: number;
  /** Where the next page begins; null at the end of the list. */
  next: Cursor | null;
}

/** What a list is sorted by. */
export type SortedPost = Pick<Post, "id" | "title" | "createdAt" | "updatedAt" | "publishedAt">;

/** @param withIds what is listed, in the order of the posts' ids */
export async function listPosts<Listed extends SortedPost>(
  platen: Platen,
  blog: Blog,
  listing: Listing,
  withIds: (ids: number[]) => Listed[],
): Promise<ListedPage<Listed>> {
  const selection = selectionOf(platen, blog, listing);
  const { after, page, limit } = listing;
  const place = { after, offset: after ? 0 : (page - 1) * limit, limit: limit + 1 };
  const { ids, total } = await countedPage(platen, selection, listing, place);
  const listed = withIds(ids.slice(0, limit));
  const last = ids.length > limit ? listed.at(-1) : undefined;
  return {
    posts: listed,
    total,
    next: last ? { key: keyOf(last, listing.sort), id: last.id } : null,
  };
}

/** Ids of the first posts of a list, and the number of all. */
export function firstListedIds(platen: Platen, blog: Blog, filters: PostFilters, limit: number) {
  return countedPage(platen, selectionOf(platen, blog, filters), filters, { offset: 0, limit });
}

/** @throws Refusal (malformed) naming `limit`, where the posts of a page have too much content together */
export function assertPageSize(heads: Pick<Post, "htmlBytes" | "sourceBytes">[]): void {
  const bytes = contentBytes(...heads);
  if (heads.length < 2 || bytes <= MAX_PAGE_CONTENT_BYTES) return;
  const says = `is too high: the content of these posts is ${Math.ceil(bytes / 1_000_000)} MB, of which one answer holds ${MAX_PAGE_CONTENT_BYTES / 1_000_000}`;
  throw malformedField("limit", says);
}

/** "published" means live (contract.md 4). */
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
    tagId:
      filters.tag === undefined
        ? undefined
        : (topicNamed(platen, "tag", blog.id, filters.tag)?.id ?? NO_TOPIC),
  };
}

function categoriesOf(platen: Platen, blog: Blog, filters: PostFilters) {
  const { category, categoryId, excludeCategory, excludeCategoryId, uncategorized } = filters;
  const named = (name: string) => topicNamed(platen, "category", blog.id, name)?.id ?? NO_TOPIC;
  const wanted = [categoryId, category === undefined ? undefined : named(category)].filter(isGiven);
  const unwanted = [
    excludeCategoryId,
    excludeCategory === undefined ? undefined : named(excludeCategory),
  ].filter(isGiven);
  // One that is asked for by name and by another's id is none.
  const [chosen = uncategorized ? null : undefined] = new Set(wanted).size > 1 ? [NO_TOPIC] : wanted;
  return { categoryId: chosen, notOfCategories: unwanted };
}

const isGiven = (id: number | undefined) => id !== undefined;

function keyOf(post: SortedPost, sort: PostFilters["sort"]): Cursor["key"] {
  if (sort === "title") return post.title;
  if (sort === "created_at") return post.createdAt.getTime();
  if (sort === "updated_at") return post.updatedAt.getTime();
  return post.publishedAt?.getTime() ?? null;
}
