import { csrfField } from "../../owner/csrf";
import type { Category } from "../../posts/post/post";
import { MAX_TOPIC_NAME_LENGTH } from "../../posts/post/post-limits";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import { selectionCount } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";
import { BULK_ACTIONS, type Bulk, type BulkPreview } from "./bulk-changes";

/** Shows what a bulk action will do, and asks for confirmation. @param next the list to return to */
export function bulkMain(
  visit: BlogVisit,
  bulk: Bulk,
  { changing, staying, shown }: BulkPreview,
  next: string,
): Html {
  const { button, unchanged } = BULK_ACTIONS[bulk.verb];
  const words = `${button} ${countPostsAndPages(changing)}`;
  const left = bulk.total - bulk.ids.length;
  return html`<h1>${changing.length === 0 ? "Nothing to change" : `${words}?`}</h1>
${left > 0 && html`<p class="lead">Only the first ${bulk.ids.length} in the list are included. ${left} more match.</p>`}
${
  changing.length > 0 &&
  html`<p class="lead">${bulkLead(bulk)}</p>
<ul class="outcomes">
${shown.changing.map(({ post, outcome }) => html`<li><strong>${postName(post)}</strong><span>${outcome}</span></li>`)}
</ul>
${andMore(changing.length - shown.changing.length)}`
}
${
  staying.length > 0 &&
  html`<h2>${shown.staying.length < staying.length ? `${staying.length} unchanged` : "Unchanged"}</h2>
<ul class="outcomes">
${shown.staying.map(({ post }) => html`<li><strong>${postName(post)}</strong><span>${unchanged}</span></li>`)}
</ul>
${andMore(staying.length - shown.staying.length)}`
}
<form class="actions" method="post" action="${blogPath(visit.blog, "/posts/bulk")}">
${csrfField(visit.token)}
<input type="hidden" name="do" value="${bulk.verb}">
<input type="hidden" name="to" value="${bulk.category?.id ?? "none"}">
<input type="hidden" name="next" value="${next}">
${
  bulk.isAll
    ? html`<input type="hidden" name="all" value="yes"><input type="hidden" name="seen" value="${changing.length}">`
    : changing.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)
}
${changing.length > 0 && html`<button class="${bulk.verb === "delete" ? "danger" : "primary"}">${words}</button>`}
<a class="button quiet" href="${next}">Back</a>
</form>`;
}

function andMore(count: number): Html | null {
  return count > 0 ? html`<p>and ${count} more</p>` : null;
}

function bulkLead({ verb, category }: Bulk): string {
  if (verb === "publish") return "They appear on the site and in feeds, and webhooks are called.";
  if (verb === "unpublish") return "Their addresses will return “not found” until you publish them again.";
  if (verb === "category") return category ? `Moved to “${category.name}”.` : "Removed from their category.";
  return "You can restore them from the trash for 30 days. Then they are deleted permanently, with the pictures that only they use.";
}

export function countPostsAndPages(posts: { type: "post" | "page" }[]): string {
  const pages = posts.filter(({ type }) => type === "page").length;
  const others = posts.length - pages;
  if (pages === 0) return counted(others, "post");
  return others === 0 ? counted(pages, "page") : `${counted(others, "post")} and ${counted(pages, "page")}`;
}

/**
 * Bulk actions on the selected posts. Each leads to a confirmation page.
 * @param categories null if there are too many to list
 * @param all label of the checkbox that selects the whole list
 */
export function bulkBar(categories: Category[] | null, all: string | null): Html {
  return html`<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
${!categories && toCategory(NAMED)}
${all && html`<label class="all-listed"><input type="checkbox" name="all" value="yes"> ${all}</label>`}
<button class="quiet" name="do" value="publish">Publish</button>
<button class="quiet" name="do" value="unpublish">Unpublish</button>
${categories && toCategory(chosen(categories))}
<button class="danger" name="do" value="delete">Delete</button>
</div>`;
}

function toCategory(control: Html): Html {
  return html`<span class="to-category"><label class="spoken" for="to-category">Category for the selected posts</label>
${control}
<button class="quiet" name="do" value="category">Move</button></span>`;
}

function chosen(categories: Category[]): Html {
  return html`<select id="to-category" name="to">
<option value="none">No category</option>
${categories.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
</select>`;
}

/** This field and its Move button come first, because Enter presses the first button. */
const NAMED = html`<input type="text" id="to-category" name="named" placeholder="No category" list="category-names" maxlength="${MAX_TOPIC_NAME_LENGTH}" autocomplete="off">`;
