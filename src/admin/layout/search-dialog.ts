import type { Blog } from "../../blogs/blogs";
import { type Html, html } from "../../text/html";
import { icon } from "./icons";
import { blogPath } from "./menu-places";

export const MAX_SEARCH_LENGTH = 100;

/** The search that Ctrl+K opens. browser/search-dialog.ts fills it from the search page. */
export function searchDialog(blog: Blog): Html {
  return html`<dialog id="search-dialog" closedby="any" aria-label="Search">
<form role="search" method="get" action="${blogPath(blog, "/search")}">
${searchField("dialog-search", "")}
<button hidden>Search</button>
<button type="button" class="icon-button" data-close-search aria-label="Close" title="Close">${icon("close")}</button>
</form>
<p class="spoken" role="status"></p>
<div class="results"></div>
</dialog>`;
}

export function searchField(id: string, text: string): Html {
  return html`<div class="search-field">${icon("search")}
<label class="spoken" for="${id}">Search posts, pages and settings</label>
<input type="search" id="${id}" name="search" value="${text}" placeholder="Search" maxlength="${MAX_SEARCH_LENGTH}" autocomplete="off">
</div>`;
}
