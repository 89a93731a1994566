import { inTransaction } from "../../database/transactions";
import { malformed } from "../../errors";
import { localPath } from "../../http/responses/response";
import type { Platen } from "../../platen";
import type { Author, Category, Post } from "../../posts/post/post";
import { firstListedIds } from "../../posts/reading/filtered-posts";
import { categoryOfBlog } from "../../posts/storage/categories-and-tags";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { deletePost } from "../../posts/trash";
import { changePost, publishPost, unpublishPost } from "../../posts/writing/saving";
import { yieldToEventLoop } from "../../runtime/yielding";
import { type Html, html } from "../../text/html";
import { type HiddenFields, postForm } from "../layout/page-controls";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/routing";
import type { Times } from "../layout/times-and-languages";
import { type AdminForm, actionNamed, type BlogVisit, blogPath, idIn, idsIn } from "../layout/visit";
import { listingOf, parseListQuery } from "./post-list-routes";
import { countPostsAndPages, postName, stateOf } from "./post-states-and-rows";
import { undoDeleting } from "./trash-routes";

export const bulkActionRoutes = blogRoutes({
  "GET /posts/bulk": previewBulk,
  "POST /posts/bulk": withForm(changeInBulk),
});

const MAX_BULK_POSTS = 2000;
/** Posts per batch. Other requests run between batches. */
const PREVIEW_BATCH = 50;
const CHANGE_BATCH = 3;
const MAX_OUTCOMES_SHOWN = 100;
/** Posts that Undo can restore. The number is low, because a cookie stores their ids. */
const MAX_UNDO = 100;

interface Bulk {
  verb: string;
  action: BulkAction;
  /** Target of the action "category"; null removes the category. */
  category: Category | null;
  isAll: boolean;
  /** Number of selected posts beyond MAX_BULK_POSTS, which stay unchanged. */
  left: number;
  changing: PostOutcome[];
  staying: PostOutcome[];
}

interface PostOutcome {
  post: Post;
  outcome: string | null;
}

type Target = Pick<Bulk, "action" | "category">;

interface BulkAction {
  button: string;
  done: string;
  lead(category: Category | null): string;
  /** @returns null if the action does not change the post */
  outcome(post: Post, now: Date, times: Times, category: Category | null): string | null;
  unchanged: string;
  change(platen: Platen, author: Author, post: Post, category: Category | null): void;
}

const BULK_ACTIONS: Record<string, BulkAction> = {
  publish: {
    button: "Publish",
    done: "published",
    lead: () => "Published posts appear on the site and in feeds, and webhooks are called.",
    outcome: (post, now, times) => {
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
    outcome: (post, now) => {
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
    lead: (category) =>
      category ? `The new category is “${category.name}”.` : "They will have no category.",
    outcome: (post, _now, _times, category) => {
      if (post.categoryId === (category?.id ?? null)) return null;
      return category
        ? `From ${post.category?.name ?? "no category"} to ${category.name}`
        : `Removed from ${post.category?.name}`;
    },
    unchanged: "Already there",
    change: (platen, author, post, category) =>
      changePost(platen, author, post, { categoryId: category?.id ?? null }),
  },
  delete: {
    button: "Delete",
    done: "deleted",
    lead: () =>
      "For 30 days, you can restore what you delete from the trash. After that, it is deleted permanently, along with files used nowhere else.",
    outcome: (post, now) =>
      stateOf(post, now) === "live" ? "Removed from the site, moved to the trash" : "Moved to the trash",
    unchanged: "",
    change: (platen, _author, post) => deletePost(platen, post),
  },
};

/** Changes nothing: the page's button applies the action. */
async function previewBulk(visit: BlogVisit): Promise<AdminResult> {
  const { searchParams } = visit.call.url;
  const next = localPath(searchParams.get("next")) ?? blogPath(visit.blog, "/posts");
  if (!searchParams.has("id") && !searchParams.has("all"))
    return { location: next, toast: "Select at least one item." };
  return bulkPage(visit, await readBulk(visit, searchParams, next), next);
}

async function changeInBulk(visit: BlogVisit, form: AdminForm): Promise<AdminResult> {
  const next = localPath(form.get("next")) ?? blogPath(visit.blog, "/posts");
  const bulk = await readBulk(visit, form, next);
  const { verb, action, isAll, left, changing } = bulk;
  if (isAll && String(changing.length) !== form.get("seen")) {
    const toast = { message: "The list has changed. Check it again." };
    return { ...bulkPage(visit, bulk, next), toast };
  }
  const changed = await applyBulk(visit, bulk);
  if (changed.length === 0) return { location: next };
  const message = `${countPostsAndPages(changed)} ${action.done}.${left > 0 ? ` ${left} more match.` : ""}`;
  const canUndo = verb === "delete" && changed.length <= MAX_UNDO;
  const undo = canUndo ? undoDeleting(visit.blog, changed, next) : undefined;
  return { location: next, toast: { message, undo } };
}

/** @param next URL of the list. If the form has the field `all`, the filters in this URL select the posts. */
async function readBulk(visit: BlogVisit, form: URLSearchParams, next: string): Promise<Bulk> {
  const { platen, blog } = visit;
  const verb = form.get("do") ?? "";
  const action = actionNamed(BULK_ACTIONS, verb);
  const category = categoryOfBlog(platen, blog.id, idIn(form.get("to"))) ?? null;
  if (verb === "category" && !category && form.get("to") !== "none")
    throw malformed("This category no longer exists.");
  const isAll = form.has("all");
  const sent = idsIn(form.getAll("id"));
  const { ids, total } = isAll ? await allListedIds(visit, next) : { ids: sent, total: sent.length };
  const outcomes: PostOutcome[] = [];
  for (let at = 0; at < ids.length; at += PREVIEW_BATCH) {
    outcomes.push(...bulkOutcomes(visit, { action, category }, ids.slice(at, at + PREVIEW_BATCH)));
    await yieldToEventLoop();
  }
  const { changing = [], staying = [] } = Object.groupBy(outcomes, (one) =>
    isChange(one) ? "changing" : "staying",
  );
  return { verb, action, category, isAll, left: total - ids.length, changing, staying };
}

function allListedIds({ platen, blog }: BlogVisit, next: string) {
  const { pathname, searchParams } = new URL(next, platen.config.url);
  const type = pathname.endsWith("/pages") ? "page" : "post";
  const listing = listingOf(parseListQuery(searchParams), blog, type);
  return firstListedIds(platen, blog, listing, MAX_BULK_POSTS);
}

function isChange({ outcome }: PostOutcome): boolean {
  return outcome !== null;
}

function bulkOutcomes(visit: BlogVisit, { action, category }: Target, ids: number[]): PostOutcome[] {
  const { platen, blog, times } = visit;
  const now = platen.now();
  return postsWithIds(platen, blog, ids)
    .filter(({ blogId, deletedAt }) => blogId === blog.id && deletedAt === null)
    .map((post) => ({ post, outcome: action.outcome(post, now, times, category) }));
}

/** @returns the changed posts */
async function applyBulk(visit: BlogVisit, bulk: Bulk): Promise<Post[]> {
  const { platen } = visit;
  const { action, category, changing } = bulk;
  const changed: Post[] = [];
  for (let at = 0; at < changing.length; at += CHANGE_BATCH) {
    const ids = changing.slice(at, at + CHANGE_BATCH).map(({ post }) => post.id);
    inTransaction(platen, () => {
      for (const { post } of bulkOutcomes(visit, bulk, ids).filter(isChange)) {
        action.change(platen, visit, post, category);
        changed.push(post);
      }
    });
    await yieldToEventLoop();
  }
  return changed;
}

function bulkPage(visit: BlogVisit, bulk: Bulk, next: string): AdminPage {
  const { verb, action, category, isAll, left, changing, staying } = bulk;
  const ids = changing.map(({ post }) => post.id);
  const words = `${action.button} ${countPostsAndPages(changing.map(({ post }) => post))}`;
  const selection: HiddenFields = isAll ? { all: "yes", seen: ids.length } : { id: ids };
  const fields = { do: verb, to: category?.id ?? "none", next, ...selection };
  const main = html`<h1>${ids.length === 0 ? "Nothing to change" : `${words}?`}</h1>
${left > 0 && html`<p class="lead">Only the first ${changing.length + staying.length} in the list are included. ${left} more match.</p>`}
${ids.length > 0 && html`<p class="lead">${action.lead(category)}</p>${outcomeList(changing)}`}
${
  staying.length > 0 &&
  html`<h2>${staying.length > MAX_OUTCOMES_SHOWN ? `${staying.length} unchanged` : "Unchanged"}</h2>${outcomeList(staying, action.unchanged)}`
}
${postForm(visit, "actions", blogPath(visit.blog, "/posts/bulk"), fields)}
${ids.length > 0 && html`<button class="${verb === "delete" ? "danger" : "primary"}">${words}</button>`}
<a class="button quiet" href="${next}">Back</a>
</form>`;
  return { title: action.button, place: "posts", main };
}

function outcomeList(outcomes: PostOutcome[], unchanged?: string): Html {
  const more = outcomes.length - MAX_OUTCOMES_SHOWN;
  return html`<ul class="outcomes">
${outcomes.slice(0, MAX_OUTCOMES_SHOWN).map(({ post, outcome }) => html`<li><strong>${postName(post)}</strong><span>${outcome ?? unchanged}</span></li>`)}
</ul>
${more > 0 && html`<p>and ${more} more</p>`}`;
}
