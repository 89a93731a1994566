import { inTransaction } from "../../database/transactions";
import { malformed } from "../../errors";
import { localPath } from "../../http/responses/response";
import { csrfField } from "../../owner/csrf";
import type { Platen } from "../../platen";
import type { Author, Category, Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { categoryOfBlog } from "../../posts/storage/topics";
import { deletePost } from "../../posts/trash";
import { changePost, publishPost, unpublishPost } from "../../posts/writing/saving";
import { yieldToEventLoop } from "../../runtime/yielding";
import { type Html, html } from "../../text/html";
import { hiddenFields } from "../layout/page-controls";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/routes-and-responses";
import type { Times } from "../layout/times-and-languages";
import { type AdminForm, type BlogVisit, blogPath, idIn, idsIn } from "../layout/visit";
import { listingOf, parseListQuery } from "./post-list-routes";
import { countPostsAndPages, postName, stateOf } from "./post-states-and-rows";
import { undoDeleting } from "./trash-routes";

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

interface BulkAction {
  button: string;
  done: string;
  lead(bulk: Bulk): string;
  /** @returns null if the action does not change the post */
  outcome(post: Post, bulk: Bulk, now: Date, times: Times): string | null;
  unchanged: string;
  change(platen: Platen, author: Author, post: Post, bulk: Bulk): void;
}

export const BULK_ACTIONS = {
  publish: {
    button: "Publish",
    done: "published",
    lead: () => "Published posts appear on the site and in feeds, and webhooks are called.",
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
    lead: () => "The addresses will return “not found” until you publish again.",
    outcome: (post, _, now) => {
      if (post.status !== "published") return null;
      const isLive = stateOf(post, now) === "live";
      return isLive ? "Removed from the site, becomes a draft" : "Not published, becomes a draft";
    },
    unchanged: "Not on the site",
    change: unpublishPost,
  },
  category: {
    button: "Move",
    done: "moved",
    lead: ({ category }) =>
      category ? `The new category is “${category.name}”.` : "They will have no category.",
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
    lead: () =>
      "For 30 days, you can restore what you delete from the trash. After that, it is deleted permanently, along with files used nowhere else.",
    outcome: (post, _, now) =>
      stateOf(post, now) === "live" ? "Removed from the site, moved to the trash" : "Moved to the trash",
    unchanged: "",
    change: (platen, _, post) => deletePost(platen, post),
  },
} satisfies Record<string, BulkAction>;

type BulkVerb = keyof typeof BULK_ACTIONS;

export const bulkActionRoutes = blogRoutes({
  "GET /posts/bulk": previewInBulk,
  "POST /posts/bulk": withForm(changeInBulk),
});

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

interface PostOutcome {
  post: Post;
  outcome: string | null;
}

export interface BulkPreview {
  changing: PostOutcome[];
  staying: PostOutcome[];
}

export async function previewBulk(visit: BlogVisit, bulk: Bulk): Promise<BulkPreview> {
  const all: PostOutcome[] = [];
  for (let at = 0; at < bulk.ids.length; at += PREVIEW_BATCH) {
    all.push(...bulkOutcomes(visit, bulk, bulk.ids.slice(at, at + PREVIEW_BATCH)));
    await yieldToEventLoop();
  }
  const [changing, staying] = [all.filter(isChange), all.filter((one) => !isChange(one))];
  return { changing, staying };
}

function isChange({ outcome }: PostOutcome): boolean {
  return outcome !== null;
}

function bulkOutcomes({ call, blog, times }: BlogVisit, bulk: Bulk, ids: number[]): PostOutcome[] {
  const now = call.platen.now();
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  const posts = postsWithIds(call.platen, blog, ids).filter(
    ({ blogId, deletedAt }) => blogId === blog.id && deletedAt === null,
  );
  return posts.map((post) => ({ post, outcome: action.outcome(post, bulk, now, times) }));
}

/** @returns the changed posts */
export async function applyBulk(visit: BlogVisit, bulk: Bulk, { changing }: BulkPreview): Promise<Post[]> {
  const { platen } = visit.call;
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  const changed: Post[] = [];
  for (let at = 0; at < changing.length; at += CHANGE_BATCH) {
    const ids = changing.slice(at, at + CHANGE_BATCH).map(({ post }) => post.id);
    inTransaction(platen, () => {
      for (const { post } of bulkOutcomes(visit, bulk, ids).filter(isChange)) {
        action.change(platen, visit, post, bulk);
        changed.push(post);
      }
    });
    await yieldToEventLoop();
  }
  return changed;
}

export function bulkMain(
  visit: BlogVisit,
  bulk: Bulk,
  { changing, staying }: BulkPreview,
  next: string,
): Html {
  const action: BulkAction = BULK_ACTIONS[bulk.verb];
  const posts = changing.map(({ post }) => post);
  const words = `${action.button} ${countPostsAndPages(posts)}`;
  const left = bulk.total - bulk.ids.length;
  return html`<h1>${changing.length === 0 ? "Nothing to change" : `${words}?`}</h1>
${left > 0 && html`<p class="lead">Only the first ${bulk.ids.length} in the list are included. ${left} more match.</p>`}
${changing.length > 0 && html`<p class="lead">${action.lead(bulk)}</p>${outcomeList(changing)}`}
${
  staying.length > 0 &&
  html`<h2>${staying.length > MAX_OUTCOMES_SHOWN ? `${staying.length} unchanged` : "Unchanged"}</h2>${outcomeList(staying, action.unchanged)}`
}
<form class="actions" method="post" action="${blogPath(visit.blog, "/posts/bulk")}">
${csrfField(visit.token)}
${hiddenFields({ do: bulk.verb, to: bulk.category?.id ?? "none", next })}
${hiddenFields(bulk.isAll ? { all: "yes", seen: changing.length } : { id: posts.map(({ id }) => id) })}
${changing.length > 0 && html`<button class="${bulk.verb === "delete" ? "danger" : "primary"}">${words}</button>`}
<a class="button quiet" href="${next}">Back</a>
</form>`;
}

function outcomeList(outcomes: PostOutcome[], unchanged?: string): Html {
  const more = outcomes.length - MAX_OUTCOMES_SHOWN;
  return html`<ul class="outcomes">
${outcomes.slice(0, MAX_OUTCOMES_SHOWN).map(({ post, outcome }) => html`<li><strong>${postName(post)}</strong><span>${outcome ?? unchanged}</span></li>`)}
</ul>
${more > 0 && html`<p>and ${more} more</p>`}`;
}

/** Posts that Undo can restore. The number is low, because a cookie stores their ids. */
const MAX_UNDO = 100;

/** Changes nothing: the page's button applies the action. */
export async function previewInBulk(visit: BlogVisit): Promise<AdminResult> {
  const { searchParams } = visit.call.url;
  const next = localPath(searchParams.get("next")) ?? blogPath(visit.blog, "/posts");
  if (!searchParams.has("id") && !searchParams.has("all"))
    return { location: next, toast: "Select at least one item." };
  const bulk = await readBulk(visit, searchParams, next);
  return bulkPage(visit, bulk, await previewBulk(visit, bulk), next);
}

function bulkPage(visit: BlogVisit, bulk: Bulk, preview: BulkPreview, next: string): AdminPage {
  const title = BULK_ACTIONS[bulk.verb].button;
  return { title, place: "posts", main: bulkMain(visit, bulk, preview, next) };
}

export async function changeInBulk(visit: BlogVisit, form: AdminForm): Promise<AdminResult> {
  const next = localPath(form.get("next")) ?? blogPath(visit.blog, "/posts");
  const bulk = await readBulk(visit, form, next);
  const preview = await previewBulk(visit, bulk);
  if (bulk.isAll && String(preview.changing.length) !== form.get("seen")) {
    const toast = { message: "The list has changed. Check it again." };
    return { ...bulkPage(visit, bulk, preview, next), toast };
  }
  const changed = await applyBulk(visit, bulk, preview);
  if (changed.length === 0) return { location: next };
  const left = bulk.total - bulk.ids.length;
  const message = `${countPostsAndPages(changed)} ${BULK_ACTIONS[bulk.verb].done}.${left > 0 ? ` ${left} more match.` : ""}`;
  const canUndo = bulk.verb === "delete" && changed.length <= MAX_UNDO;
  const undo = canUndo ? undoDeleting(visit.blog, changed, next) : undefined;
  return { location: next, toast: { message, undo } };
}
