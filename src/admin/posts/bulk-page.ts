import { type Html, html } from "../../html";
import { csrfField } from "../../owner/csrf";
import { blogPath } from "../layout/places";
import type { BlogVisit } from "../layout/visit";
import { counted } from "../words/counts";
import { postName } from "../words/post-name";
import { BULK_ACTIONS, type Bulk, outcomesOf } from "./bulk-changes";

/** What will happen, before anything does. @param next the list to go back to */
export function bulkMain(visit: BlogVisit, bulk: Bulk, next: string): Html {
  const { button, unchanged } = BULK_ACTIONS[bulk.verb];
  const outcomes = outcomesOf(visit, bulk);
  const changing = outcomes.filter(({ outcome }) => outcome !== null);
  const staying = outcomes.filter(({ outcome }) => outcome === null);
  const words = `${button} ${countOf(changing.map(({ post }) => post))}`;
  return html`<h1>${changing.length === 0 ? "Nothing to do" : `${words}?`}</h1>
${
  changing.length > 0 &&
  html`<p class="lead">${leadOf(bulk)}</p>
<ul class="outcomes">
${changing.map(({ post, outcome }) => html`<li><strong>${postName(post)}</strong><span>${outcome}</span></li>`)}
</ul>`
}
${
  staying.length > 0 &&
  html`<h2>These stay as they are</h2>
<ul class="outcomes">
${staying.map(({ post }) => html`<li><strong>${postName(post)}</strong><span>${unchanged}</span></li>`)}
</ul>`
}
<form class="actions" method="post" action="${blogPath(visit.blog, "/posts/bulk")}">
${csrfField(visit.token)}
<input type="hidden" name="do" value="${bulk.verb}">
<input type="hidden" name="to" value="${bulk.category?.id ?? "none"}">
<input type="hidden" name="next" value="${next}">
${changing.map(({ post }) => html`<input type="hidden" name="id" value="${post.id}">`)}
${changing.length > 0 && html`<button class="${bulk.verb === "delete" ? "danger" : "primary"}">${words}</button>`}
<a class="button quiet" href="${next}">Back</a>
</form>`;
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
