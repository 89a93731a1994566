import type { Blog } from "../../blogs/blogs";
import { dayOf } from "../../blogs/time-zone";
import type { Category, Post, PostType } from "../../posts/post/post";
import { LISTED_STATUSES, type Listing, listPosts } from "../../posts/reading/filtered-posts";
import { tagNamesOf, topicsByName } from "../../posts/storage/categories-and-tags";
import { SORTS } from "../../posts/storage/post-list-queries";
import { type Html, html } from "../../text/html";
import { counted, grouped } from "../../text/numbers";
import { icon } from "../layout/icons";
import {
  pageLinks,
  pageNumber,
  selectAll,
  selectionCount,
  withParams,
  withQuery,
} from "../layout/page-controls";
import { type AdminPage, blogRoutes } from "../layout/routing";
import { type BlogVisit, blogPath } from "../layout/visit";
import { postName, postRows } from "./post-states-and-rows";

export const postListRoutes = blogRoutes({
  "GET /posts": (visit) => postListPage(visit, "posts"),
  "GET /pages": (visit) => postListPage(visit, "pages"),
});

const POSTS_PER_PAGE = 30;

const LISTS = {
  posts: { type: "post", title: "Posts", create: "/posts/new" },
  pages: { type: "page", title: "Pages", create: "/posts/new?type=page" },
} as const;

type ListName = keyof typeof LISTS;

async function postListPage(visit: BlogVisit, name: ListName): Promise<AdminPage> {
  const { call, platen, blog } = visit;
  const { title, type, create } = LISTS[name];
  const query = parseListQuery(call.url.searchParams);
  const listing = { ...listingOf(query, blog, type), limit: POSTS_PER_PAGE };
  const { posts, total } = await listPosts(platen, blog, listing);
  const selectBox = (post: Post) =>
    html`<label class="choice"><input type="checkbox" name="id" value="${post.id}"><span class="spoken">Select ${postName(post)}</span></label>`;
  const all = `Select all ${grouped(total)}${isFiltered(query) ? " matching" : ""} ${type}s`;
  const categories = topicsByName(platen, "category", blog.id, MAX_CATEGORY_OPTIONS);
  const tags = tagNamesOf(platen, blog.id, MAX_TAG_SUGGESTIONS);
  const main = html`<div class="page-head">
<h1>${title}</h1>
${name === "pages" && html`<div class="ways"><a class="button quiet" href="${blogPath(blog, create)}">${icon("write")}New ${type}</a></div>`}
${(total > 0 || isFiltered(query)) && filterForm(blogPath(blog, `/${name}`), query, categories, tags)}
</div>
<div class="list-head">${selectAll}
${stateTabs(visit, query, total)}
<p class="count spoken" id="count" role="status">${total === 0 ? `No ${type}s` : counted(total, type)}</p>
</div>
<div id="results">
${
  posts.length === 0
    ? emptyPostList(visit, name, query)
    : html`<form method="get" action="${blogPath(blog, "/posts/bulk")}">
<input type="hidden" name="next" value="${withParams(call, {})}">
${postRows(platen, posts, selectBox)}
${bulkBar(categories, total > posts.length ? all : null)}
</form>`
}
${pageLinks(call, total, POSTS_PER_PAGE)}
</div>`;
  return { title, place: name, main, scripts: ["post-list"] };
}

function emptyPostList({ blog }: BlogVisit, name: ListName, query: ListQuery): Html {
  const { type, create } = LISTS[name];
  if (isFiltered(query) || query.page > 1)
    return html`<div class="empty">
<h2>No matching ${type}s</h2>
<p>Try fewer words or another filter.</p>
<p class="actions"><a class="button quiet" href="${blogPath(blog, `/${name}`)}">Show all</a></p>
</div>`;
  const message =
    name === "posts"
      ? "Posts appear on the home page, newest first, and in feeds."
      : "Pages, such as “About”, aren’t in lists or feeds.";
  return html`<div class="empty">
<h2>No ${type}s yet</h2>
<p>${message} Nobody sees them until you publish.</p>
<p class="actions"><a class="button" href="${blogPath(blog, create)}">${icon("write")}Write your first ${type}</a></p>
</div>`;
}

const MAX_SEARCH_LENGTH = 500;

const DEFAULT_SORTS: Partial<Record<Listing["status"], string>> = {
  published: "-published_at",
  scheduled: "published_at",
};

type ListQuery = ReturnType<typeof parseListQuery>;

export function parseListQuery(params: URLSearchParams) {
  const param = (name: string) => params.get(name) ?? "";
  const status = LISTED_STATUSES.find((one) => one === param("status")) ?? "all";
  const day = (name: string) => (dayOf(param(name), "UTC") ? param(name) : "");
  return {
    search: param("search").trim().slice(0, MAX_SEARCH_LENGTH),
    status,
    /** A category id, "none" for posts without a category, or "-7" for all but category 7. */
    category: /^(none|-?\d{1,9})$/.test(param("category")) ? param("category") : "",
    tag: param("tag").trim().slice(0, MAX_SEARCH_LENGTH),
    /** First and last day in the blog's time zone, such as "2026-03-01"; "" for no limit. */
    from: day("from"),
    to: day("to"),
    sort: SORTS.some((sort) => sort === param("sort").replace(/^-/, ""))
      ? param("sort")
      : (DEFAULT_SORTS[status] ?? "-updated_at"),
    page: pageNumber(params),
  };
}

function isFiltered({ search, status, category, tag, from, to }: ListQuery): boolean {
  return [search, category, tag, from, to].some((value) => value !== "") || status !== "all";
}

export function listingOf(query: ListQuery, blog: Blog, type: PostType): Omit<Listing, "limit"> {
  const { search, status, category, tag, from, to, sort, page } = query;
  const id = Math.abs(Number(category));
  return {
    status,
    type,
    search: search || undefined,
    uncategorized: category === "none" || undefined,
    categoryId: /^\d/.test(category) ? id : undefined,
    excludeCategoryId: category.startsWith("-") ? id : undefined,
    tag: tag || undefined,
    from: dayOf(from, blog.timeZone)?.from,
    until: dayOf(to, blog.timeZone)?.until,
    sort: SORTS.find((one) => one === sort.replace(/^-/, "")) ?? "updated_at",
    descending: sort.startsWith("-"),
    page,
  };
}

const MAX_CATEGORY_OPTIONS = 1000;
const MAX_TAG_SUGGESTIONS = 200;

const STATE_TABS: [status: Listing["status"], label: string][] = [
  ["all", "All"],
  ["draft", "Drafts"],
  ["scheduled", "Scheduled"],
  ["published", "Published"],
  ["archived", "Archived"],
];

const SORT_NAMES: [sort: string, label: string][] = [
  ["-updated_at", "Last changed"],
  ["-published_at", "Newest first"],
  ["published_at", "Oldest first"],
  ["-created_at", "Last created"],
  ["title", "By title"],
];

/** @param query null in the trash */
export function stateTabs({ call, blog }: BlogVisit, query: ListQuery | null, total?: number): Html {
  const addressOf = (tab: Listing["status"]) => {
    const status = tab === "all" ? null : tab;
    return query
      ? withParams(call, { status, sort: null, page: null })
      : withQuery(blogPath(blog, "/posts"), { status });
  };
  return html`<nav class="tabs" id="states" aria-label="State">
${STATE_TABS.map(([status, label]) => html`<a href="${addressOf(status)}"${status === query?.status && html` aria-current="page"`}>${label}${status === query?.status && total !== undefined && html` <span class="number">${grouped(total)}</span>`}</a>`)}
<a href="${blogPath(blog, "/posts/trash")}"${query === null && html` aria-current="page"`}>Trash</a>
</nav>`;
}

function filterForm(path: string, query: ListQuery, categories: Category[], tags: string[]): Html {
  const { search, status, category, tag, from, to, sort } = query;
  const active = [category, tag, from, to, sort !== SORT_NAMES[0]?.[0]].filter(Boolean).length;
  return html`<form class="filter" role="search" method="get" action="${path}" data-follow="states count results">
${status !== "all" && html`<input type="hidden" name="status" value="${status}">`}
<div class="search-field">${icon("search")}
<label class="spoken" for="search">Search titles and text</label>
<input type="search" id="search" name="search" value="${search}" placeholder="Search" data-keys="/" maxlength="500" autocomplete="off">
</div>
<details>
<summary>Filter${active > 0 && html` <span class="number">${active}</span>`}</summary>
<div class="filters">
<div>${categorySelect(categories, category)}</div>
<div><label for="sort">Sort by</label>
<select id="sort" name="sort">
${SORT_NAMES.map(([name, label]) => option(name, label, sort))}
</select></div>
${
  (tags.length > 0 || tag) &&
  html`<div><label for="tag">Tag</label><input type="text" id="tag" name="tag" value="${tag}" list="tags" autocomplete="off" autocapitalize="none">
<datalist id="tags">${tags.map((name) => html`<option value="${name}">`)}</datalist></div>`
}
<div><label for="from">From</label><input type="date" id="from" name="from" value="${from}"></div>
<div><label for="to">To</label><input type="date" id="to" name="to" value="${to}"></div>
<button class="quiet">Apply</button>
</div>
</details>
</form>`;
}

function categorySelect(categories: Category[], selected: string): Html {
  return html`<label for="category">Category</label>
<select id="category" name="category">
<option value="">All categories</option>
<option value="none"${selected === "none" && html` selected`}>No category</option>
${categories.map(({ id, name }) => option(String(id), name, selected))}
${
  categories.length > 1 &&
  html`<optgroup label="Exclude">
${categories.map(({ id, name }) => option(`-${id}`, `Not ${name}`, selected))}
</optgroup>`
}
</select>`;
}

function option(value: string, label: string, selected: string): Html {
  return html`<option value="${value}"${value === selected && html` selected`}>${label}</option>`;
}

function bulkBar(categories: Category[], all: string | null): Html {
  return html`<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${all && html`<label class="all-listed"><input type="checkbox" name="all" value="yes"> ${all}</label>`}
<button class="quiet" name="do" value="publish">Publish</button>
<button class="quiet" name="do" value="unpublish">Unpublish</button>
<span class="to-category"><label class="spoken" for="to-category">Category for the selected posts</label>
<select id="to-category" name="to">
<option value="none">No category</option>
${categories.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
</select>
<button class="quiet" name="do" value="category">Move</button></span>
<button class="danger" name="do" value="delete">Delete</button>
</div>`;
}
