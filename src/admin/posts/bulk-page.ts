import { csrfField } from "../../owner/csrf";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";
import { BULK_ACTIONS, type Bulk, type Outlook } from "./bulk-changes";

/** What will happen, before anything does. @param next the list to go back to */
export function bulkMain(
  visit: BlogVisit,
  bulk: Bulk,
  { changing, staying, shown }: Outlook,
  next: string,
): Html {
  const { button, unchanged } = BULK_ACTIONS[bulk.verb];
  const words = `${button} ${countOf(changing)}`;
  const left = bulk.total - bulk.ids.length;
  return html`<h1>${changing.length === 0 ? "Nothing to do" : `${words}?`}</h1>
${left > 0 && html`<p class="lead">These are of the first ${bulk.ids.length} in the list; ${left} more fit, and come after them.</p>`}
${
  changing.length > 0 &&
  html`<p class="lead">${leadOf(bulk)}</p>
<ul class="outcomes">
${shown.changing.map(({ post, outcome }) => html`<li><strong>${postName(post)}</strong><span>${outcome}</span></li>`)}
</ul>
${andMore(changing.length - shown.changing.length)}`
}
${
  staying.length > 0 &&
  html`<h2>${shown.staying.length < staying.length ? `These ${staying.length} stay as they are` : "These stay as they are"}</h2>
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

function leadOf({ verb, category }: Bulk): string {
  if (verb === "publish") return "Readers see it at its address, in lists and feeds, and webhooks are told.";
  if (verb === "unpublish") return "Its address answers “not found” until it is published again.";
  if (verb === "category") return category ? `Into “${category.name}”.` : "Into no category.";
  return "For 30 days each can be restored from the trash; then it is gone for good, with the pictures that only it shows.";
}

/** "3 posts", "2 posts and 1 page" */
export function countOf(posts: { type: "post" | "page" }[]): string {
  const pages = posts.filter(({ type }) => type === "page").length;
  const others = posts.length - pages;
  if (pages === 0) return counted(others, "post");
  return others === 0 ? counted(pages, "page") : `${counted(others, "post")} and ${counted(pages, "page")}`;
}
