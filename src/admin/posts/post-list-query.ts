import type { Blog } from "../../blogs/blogs";
import { dayOf } from "../../blogs/time-zone";
import type { Platen } from "../../platen";
import { SORTS } from "../../posts/lists/selection";
import type { Category, PostType } from "../../posts/post/post";
import { LISTED_STATUSES, type Listing } from "../../posts/reading/filtered-posts";
import { categoryOfBlog, tagNamesOf, topicNamed, topicsByName } from "../../posts/topics/topics";
import { type Html, html } from "../../text/html";
import { pageNumber } from "../layout/page-controls";

const MAX_SEARCH_LENGTH = 500;

type ListedStatus = Listing["status"];

export interface ListQuery {
  search: string;
  status: ListedStatus;
  /** A category id, "none" for posts without a category, or "-7" for all but category 7. */
  category: string;
  named: string;
  tag: string;
  /** First and last day in the blog's time zone, such as "2026-03-01". */
  from: string;
  to: string;
  sort: string;
  page: number;
}

/** Reads a list's query; invalid values are ignored. */
export function listQueryIn(params: URLSearchParams): ListQuery {
  const asked = (name: string) => params.get(name) ?? "";
  const status = LISTED_STATUSES.find((one) => one === asked("status")) ?? "all";
  const day = (name: string) => (dayOf(asked(name), "UTC") ? asked(name) : "");
  return {
    search: asked("search").trim().slice(0, MAX_SEARCH_LENGTH),
    status,
    category: /^(none|-?\d{1,9})$/.test(asked("category")) ? asked("category") : "",
    named: asked("named").trim().slice(0, MAX_SEARCH_LENGTH),
    tag: asked("tag").trim().slice(0, MAX_SEARCH_LENGTH),
    from: day("from"),
    to: day("to"),
    sort: SORTS.some((sort) => sort === asked("sort").replace(/^-/, "")) ? asked("sort") : "",
    page: pageNumber(params),
  };
}

/** The list's URL with these changes. It starts at page 1 unless they contain a page. */
export function listAddress(path: string, query: ListQuery, changes: Partial<ListQuery> = {}): string {
  const { page, status, ...others } = { ...query, page: 1, ...changes };
  const said = { ...others, status: status === "all" ? "" : status, page: page > 1 ? String(page) : "" };
  const params = new URLSearchParams(Object.entries(said).filter(([, value]) => value !== ""));
  return params.size > 0 ? `${path}?${params}` : path;
}

export function isFiltered({ search, status, category, named, tag, from, to }: ListQuery): boolean {
  return [search, category, named, tag, from, to].some((value) => value !== "") || status !== "all";
}

/** The requested order. The default is by date for published lists, by last change for others. */
export function sortOf({ sort, status }: ListQuery): string {
  return (
    sort ||
    (status === "published" ? "-published_at" : status === "scheduled" ? "published_at" : "-updated_at")
  );
}

export function listingOf(query: ListQuery, blog: Blog, type: PostType): Omit<Listing, "limit"> {
  const { search, status, category, named, tag, from, to, page } = query;
  const sort = sortOf(query);
  const id = Math.abs(Number(category));
  return {
    status,
    type,
    search: search || undefined,
    uncategorized: category === "none" || undefined,
    categoryId: /^\d/.test(category) ? id : undefined,
    excludeCategoryId: category.startsWith("-") ? id : undefined,
    category: named || undefined,
    tag: tag || undefined,
    from: dayOf(from, blog.timeZone)?.from,
    until: dayOf(to, blog.timeZone)?.until,
    sort: SORTS.find((one) => one === sort.replace(/^-/, "")) ?? "updated_at",
    descending: sort.startsWith("-"),
    page,
  };
}

/** Maximum categories in a select. With more, a text field replaces it. */
const MAX_CATEGORY_OPTIONS = 100;
/** Maximum suggestions in a datalist. This limits the page size. */
const MAX_COMPLETIONS = 200;

/** Categories and tags that a list's forms suggest. */
export interface OfferedTopics {
  /** Categories for a select; null if there are too many. */
  categories: Category[] | null;
  tags: string[];
  /** A datalist of category names. */
  names: Html | null;
}

export function offeredTopics(platen: Platen, blog: Blog): OfferedTopics {
  const first = topicsByName(platen, "category", blog.id, MAX_COMPLETIONS);
  const isFew = first.length <= MAX_CATEGORY_OPTIONS;
  return {
    categories: isFew ? first : null,
    tags: tagNamesOf(platen, blog.id, MAX_COMPLETIONS),
    names: isFew
      ? null
      : html`<datalist id="category-names">${first.map(({ name }) => html`<option value="${name}">`)}</datalist>`,
  };
}

export function categoryWithId(platen: Platen, blog: Blog, id: string): Category | undefined {
  return /^\d{1,9}$/.test(id) ? categoryOfBlog(platen, blog.id, Number(id)) : undefined;
}

export function categoryWithName(platen: Platen, blog: Blog, name: string): Category | undefined {
  return topicNamed(platen, "category", blog.id, name.trim());
}
