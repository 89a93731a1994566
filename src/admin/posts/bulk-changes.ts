import { inTransaction } from "../../database/transactions";
import { malformed } from "../../errors";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import type { Author, Category, Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { categoryOfBlog } from "../../posts/topics/topics";
import { deletePost } from "../../posts/trash/deleting-and-restoring";
import { publishPost, unpublishPost } from "../../posts/writing/publishing";
import { changePost } from "../../posts/writing/saving";
import { yieldToEventLoop } from "../../runtime/yielding";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import { selectionCount } from "../layout/page-controls";
import { type BlogVisit, idIn, idsIn } from "../layout/visit";
import { postName, stateOf } from "../words/post-states";
import type { Times } from "../words/times";
import { listingOf, parseListQuery } from "./post-list-filters";

const MAX_BULK_POSTS = 2000;
/** Posts per batch. Other requests run between batches. */
const PREVIEW_BATCH = 50;
const CHANGE_BATCH = 3;
const MAX_OUTCOMES_SHOWN = 100;

export interface Bulk {
  verb: BulkVerb;
  ids: number[];
  /** Number of selected posts. If `isAll`, `ids` contains at most MAX_BULK_POSTS of them. */
  total: number;
  isAll: boolean;
  /** Target of the action "category"; null removes the category. */
  category: Category | null;
}

type Outcome = string | null;

interface BulkAction {
  button: string;
  done: string;
  outcome(post: Post, bulk: Bulk, now: Date, times: Times): Outcome;
  unchanged: string;
  change(platen: Platen, author: Author, post: Post, bulk: Bulk): void;
}

export const BULK_ACTIONS = {
  publish: {
    button: "Publish",
    done: "published",
    outcome: (post, _, now, times) => {
      if (post.status === "published") return null;
      if (post.publishedAt && post.publishedAt > now) return `Goes live on ${times.full(post.publishedAt)}`;
      return post.publishedAt ? `Goes live now, dated ${times.full(post.publishedAt)}` : "Goes live now";
    },
    unchanged: "Already published or scheduled",
    change: publishPost,
  },
  unpublish: {
    button: "Unpublish",
    done: "unpublished",
    outcome: (post, _, now) =>
      ({
        live: "Removed from the site, becomes a draft",
        scheduled: "Not published, becomes a draft",
        draft: null,
        archived: null,
      })[stateOf(post, now)],
    unchanged: "Not on the site",
    change: unpublishPost,
  },
  category: {
    button: "Move",
    done: "moved",
    outcome: (post, { category }) => {
      if (post.categoryId === (category?.id ?? null)) return null;
      return category
        ? `From ${post.category?.name ?? "no category"} to ${category.name}`
        : `Removed from ${post.category?.name}`;
    },
    unchanged: "Already there",
    change: (platen, author, post, { category }) =>
      changePost(platen, author, post, { categoryId: category?.id ?? null }),
  },
  delete: {
    button: "Delete",
    done: "deleted",
    outcome: (post, _, now) =>
      stateOf(post, now) === "live" ? "Removed from the site, moved to the trash" : "Moved to the trash",
    unchanged: "",
    change: (platen, _, post) => deletePost(platen, post),
  },
} satisfies Record<string, BulkAction>;

type BulkVerb = keyof typeof BULK_ACTIONS;

/** @param next URL of the list. If the form has the field `all`, the filters in this URL select the posts. */
export async function readBulk(visit: BlogVisit, form: URLSearchParams, next: string): Promise<Bulk> {
  const { call, blog } = visit;
  const verb = form.get("do");
  const isAll = form.has("all");
  if (!verb || !Object.hasOwn(BULK_ACTIONS, verb)) throw malformed("Choose an action.");
  const category = categoryOfBlog(call.platen, blog.id, idIn(form.get("to")));
  if (verb === "category" && !category && form.get("to") !== "none")
    throw malformed("This category no longer exists.");
  const ids = idsIn(form.getAll("id"));
  const selection = isAll ? await allListedIds(visit, next) : { ids, total: ids.length };
  return { verb: verb as BulkVerb, ...selection, isAll, category: category ?? null };
}

async function allListedIds({ call, blog }: BlogVisit, next: string) {
  const { pathname, searchParams } = new URL(next, call.platen.config.url);
  const type = pathname.endsWith("/pages") ? "page" : "post";
  const listing = listingOf(parseListQuery(searchParams), blog, type);
  return await firstListedIds(call.platen, blog, listing, MAX_BULK_POSTS);
}

export interface BulkPreview {
  changing: Pick<Post, "id" | "type">[];
  staying: Pick<Post, "id" | "type">[];
  shown: Record<"changing" | "staying", { post: Post; outcome: Outcome }[]>;
}

export async function previewBulk(visit: BlogVisit, bulk: Bulk): Promise<BulkPreview> {
  const preview: BulkPreview = { changing: [], staying: [], shown: { changing: [], staying: [] } };
  for (let at = 0; at < bulk.ids.length; at += PREVIEW_BATCH) {
    for (const { post, outcome } of bulkOutcomes(visit, bulk, bulk.ids.slice(at, at + PREVIEW_BATCH))) {
      const kind = outcome === null ? "staying" : "changing";
      preview[kind].push({ id: post.id, type: post.type });
      if (preview.shown[kind].length < MAX_OUTCOMES_SHOWN) preview.shown[kind].push({ post, outcome });
    }
    await yieldToEventLoop();
  }
  return preview;
}

function bulkOutcomes(
  { call, blog, times }: BlogVisit,
  bulk: Bulk,
  ids: number[],
): { post: Post; outcome: Outcome }[] {
  const now = call.platen.now();
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  const posts = postsWithIds(call.platen, blog, ids).filter(
    ({ blogId, deletedAt }) => blogId === blog.id && deletedAt === null,
  );
  return posts.map((post) => ({ post, outcome: action.outcome(post, bulk, now, times) }));
}

export async function applyBulk(
  visit: BlogVisit,
  bulk: Bulk,
  { changing }: BulkPreview,
): Promise<BulkPreview["changing"]> {
  const { platen } = visit.call;
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  const changed: BulkPreview["changing"] = [];
  for (let at = 0; at < changing.length; at += CHANGE_BATCH) {
    const ids = changing.slice(at, at + CHANGE_BATCH).map(({ id }) => id);
    inTransaction(platen, () => {
      for (const { post, outcome } of bulkOutcomes(visit, bulk, ids)) {
        if (outcome === null) continue;
        action.change(platen, visit, post, bulk);
        changed.push({ id: post.id, type: post.type });
      }
    });
    await yieldToEventLoop();
  }
  return changed;
}

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
  if (verb === "publish") return "Published posts appear on the site and in feeds, and webhooks are called.";
  if (verb === "unpublish") return "The addresses will return “not found” until you publish again.";
  if (verb === "category")
    return category ? `The new category is “${category.name}”.` : "They will have no category.";
  return "For 30 days, you can restore what you delete from the trash. After that, it is deleted permanently, along with files used nowhere else.";
}

export function countPostsAndPages(posts: { type: "post" | "page" }[]): string {
  const pages = posts.filter(({ type }) => type === "page").length;
  const others = posts.length - pages;
  if (pages === 0) return counted(others, "post");
  return others === 0 ? counted(pages, "page") : `${counted(others, "post")} and ${counted(pages, "page")}`;
}

export function bulkBar(categories: Category[], all: string | null): Html {
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
