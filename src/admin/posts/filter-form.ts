import { type Html, html } from "../../html";
import type { Category } from "../../posts/post/post";
import { icon } from "../layout/line-icons";
import { type ListQuery, listAddress, listQueryIn, sortOf } from "./list-choice";

const STATES: [status: ListQuery["status"], label: string][] = [
  ["all", "All"],
  ["draft", "Drafts"],
  ["scheduled", "Scheduled"],
  ["published", "Published"],
  ["archived", "Archived"],
];

const SORT_NAMES: [sort: string, label: string][] = [
  ["-updated_at", "Changed last"],
  ["-published_at", "Newest first"],
  ["published_at", "Oldest first"],
  ["-created_at", "Begun last"],
  ["title", "By title"],
];

/**
 * One state at a time, the trash at the end; whatever else narrows the list goes on narrowing it.
 * @param query null: in the trash
 */
export function stateTabs(path: string, trash: string, query: ListQuery | null): Html {
  const addressOf = (status: ListQuery["status"]) =>
    listAddress(path, query ?? listQueryIn(new URLSearchParams()), { status, sort: "" });
  return html`<nav class="tabs" id="states" aria-label="State">
${STATES.map(([status, label]) => html`<a href="${addressOf(status)}"${status === query?.status && html` aria-current="page"`}>${label}</a>`)}
<a href="${trash}"${query === null && html` aria-current="page"`}>Trash</a>
</nav>`;
}

/** What of the blog's the form offers. */
interface Topics {
  categories: Category[];
  /** By name. */
  tags: string[];
}

/** Others can be typed. */
const MOST_TAGS = 300;

/** A plain form; with scripts the list follows while one types. */
export function filterForm(path: string, query: ListQuery, topics: Topics): Html {
  const { search, status, tag, from, to } = query;
  const { categories, tags } = topics;
  return html`<form class="filter" role="search" method="get" action="${path}" data-follow="states count results">
${status !== "all" && html`<input type="hidden" name="status" value="${status}">`}
<div class="search-field">${icon("search")}
<label class="spoken" for="search">Search titles and texts</label>
<input type="search" id="search" name="search" value="${search}" placeholder="Search" data-keys="/" maxlength="500" autocomplete="off">
</div>
<label class="spoken" for="category">Category</label>
<select id="category" name="category">
<option value="">All categories</option>
<option value="none"${query.category === "none" && html` selected`}>Without a category</option>
${categories.map((category) => option(String(category.id), category.name, query.category))}
${
  categories.length > 1 &&
  html`<optgroup label="All but">
${categories.map((category) => option(`-${category.id}`, `Not ${category.name}`, query.category))}
</optgroup>`
}
</select>
<label class="spoken" for="sort">Order</label>
<select id="sort" name="sort">
${SORT_NAMES.map(([sort, label]) => option(sort, label, sortOf(query)))}
</select>
<button class="quiet">Search</button>
<details${(tag || from || to) && html` open`}>
<summary>${tags.length > 0 ? "By tag or days" : "Between two days"}</summary>
<div class="days">
${
  (tags.length > 0 || tag) &&
  html`<div><label for="tag">Tag</label><input type="text" id="tag" name="tag" value="${tag}" list="tags" autocomplete="off" autocapitalize="none">
<datalist id="tags">${tags.slice(0, MOST_TAGS).map((name) => html`<option value="${name}">`)}</datalist></div>`
}
<div><label for="from">From</label><input type="date" id="from" name="from" value="${from}"></div>
<div><label for="to">To</label><input type="date" id="to" name="to" value="${to}"></div>
</div>
</details>
</form>`;
}

function option(value: string, label: string, chosen: string): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
}
