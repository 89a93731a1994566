import type { Category } from "../../posts/post/post";
import { type Html, html } from "../../text/html";
import { grouped } from "../../text/numbers";
import { icon } from "../layout/icons";
import { type ListQuery, listAddress, listQueryIn, type OfferedTopics, sortOf } from "./post-list-query";

const STATE_TABS: [status: ListQuery["status"], label: string][] = [
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

/**
 * Tabs for each state, with the current filters.
 * @param query null in the trash
 * @param total number of posts in the current tab
 */
export function stateTabs(path: string, trash: string, query: ListQuery | null, total?: number): Html {
  const addressOf = (status: ListQuery["status"]) =>
    listAddress(path, query ?? listQueryIn(new URLSearchParams()), { status, sort: "" });
  return html`<nav class="tabs" id="states" aria-label="State">
${STATE_TABS.map(([status, label]) => html`<a href="${addressOf(status)}"${status === query?.status && html` aria-current="page"`}>${label}${status === query?.status && total !== undefined && html` <span class="number">${grouped(total)}</span>`}</a>`)}
<a href="${trash}"${query === null && html` aria-current="page"`}>Trash</a>
</nav>`;
}

/** The filter form. A script updates the list while the user types. @param named the category in the query */
export function filterForm(path: string, query: ListQuery, topics: OfferedTopics, named: string): Html {
  const { search, status, category, tag, from, to } = query;
  const { categories, tags } = topics;
  const isWithout = categories === null && category === "none";
  const active = [category || named, tag, from, to, sortOf(query) !== SORT_NAMES[0]?.[0]].filter(
    Boolean,
  ).length;
  return html`<form class="filter" role="search" method="get" action="${path}" data-follow="states count results">
${status !== "all" && html`<input type="hidden" name="status" value="${status}">`}
<div class="search-field">${icon("search")}
<label class="spoken" for="search">Search titles and text</label>
<input type="search" id="search" name="search" value="${search}" placeholder="Search" data-keys="/" maxlength="500" autocomplete="off">
</div>
<details>
<summary>Filter${active > 0 && html` <span class="number">${active}</span>`}</summary>
<div class="filters">
${categories && html`<div>${categorySelect(categories, category)}</div>`}
<div><label for="sort">Sort by</label>
<select id="sort" name="sort">
${SORT_NAMES.map(([sort, label]) => option(sort, label, sortOf(query)))}
</select></div>
${
  categories === null &&
  html`<div><label for="named">Category</label><input type="text" id="named" name="named" value="${named}" list="category-names" autocomplete="off">
${topics.names}</div>
<div class="switch"><input type="checkbox" id="without" name="category" value="none"${isWithout && html` checked`}><label for="without">No category</label></div>`
}
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

function categorySelect(categories: Category[], chosen: string): Html {
  return html`<label for="category">Category</label>
<select id="category" name="category">
<option value="">All categories</option>
<option value="none"${chosen === "none" && html` selected`}>No category</option>
${categories.map(({ id, name }) => option(String(id), name, chosen))}
${
  categories.length > 1 &&
  html`<optgroup label="Exclude">
${categories.map(({ id, name }) => option(`-${id}`, `Not ${name}`, chosen))}
</optgroup>`
}
</select>`;
}

function option(value: string, label: string, chosen: string): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;
}
