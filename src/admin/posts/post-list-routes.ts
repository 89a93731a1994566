import { localPath } from "../../owner/local-path";
import type { Post } from "../../posts/post/post";
import { listPosts } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { counted, grouped } from "../../text/numbers";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/admin-routes";
import { icon } from "../layout/icons";
import { pageLinks, selectAll, withParams } from "../layout/page-controls";
import { type AdminForm, type BlogVisit, blogPath } from "../layout/visit";
import { postName } from "../words/post-states";
import {
  applyBulk,
  BULK_ACTIONS,
  type Bulk,
  type BulkPreview,
  bulkBar,
  bulkMain,
  countPostsAndPages,
  previewBulk,
  readBulk,
} from "./bulk-changes";
import {
  filterForm,
  isFiltered,
  type ListQuery,
  listingOf,
  offeredTopics,
  parseListQuery,
  stateTabs,
} from "./post-list-filters";
import { postRows } from "./post-rows";
import { deletePermanently, restorePosts, trashPage, undoDeleting } from "./trash-page";

/** Posts that Undo can restore. The number is low, because a cookie stores their ids. */
const MAX_UNDO = 100;

export const postListRoutes = blogRoutes({
  "GET /posts": (visit) => postListPage(visit, "posts"),
  "GET /pages": (visit) => postListPage(visit, "pages"),
  "GET /posts/bulk": previewInBulk,
  "POST /posts/bulk": withForm(changeInBulk),
  "GET /posts/trash": trashPage,
  "POST /posts/trash": withForm(restorePosts),
  "POST /posts/trash/deletion": withForm(deletePermanently),
});

async function postListPage(visit: BlogVisit, name: ListName): Promise<AdminPage> {
  const main = await listMain(visit, name, parseListQuery(visit.call.url.searchParams));
  return { title: LISTS[name].title, place: name, main, scripts: ["post-list"] };
}

/** Changes nothing: the page's button applies the action. */
async function previewInBulk(visit: BlogVisit): Promise<AdminResult> {
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

async function changeInBulk(visit: BlogVisit, form: AdminForm): Promise<AdminResult> {
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

const POSTS_PER_PAGE = 30;

const LISTS = {
  posts: { type: "post", title: "Posts", create: "/posts/new" },
  pages: { type: "page", title: "Pages", create: "/posts/new?type=page" },
} as const;

type ListName = keyof typeof LISTS;

async function listMain(visit: BlogVisit, name: ListName, query: ListQuery): Promise<Html> {
  const { call, blog } = visit;
  const { title, type, create } = LISTS[name];
  const listing = { ...listingOf(query, blog, type), limit: POSTS_PER_PAGE };
  const { posts, total } = await listPosts(call.platen, blog, listing, (ids) =>
    postsWithIds(call.platen, blog, ids),
  );
  const selectBox = (post: Post) =>
    html`<label class="choice"><input type="checkbox" name="id" value="${post.id}"><span class="spoken">Select ${postName(post)}</span></label>`;
  const all = `Select all ${grouped(total)}${isFiltered(query) ? " matching" : ""} ${type}s`;
  const topics = offeredTopics(call.platen, blog);
  return html`<div class="page-head">
<h1>${title}</h1>
${name === "pages" && html`<div class="ways"><a class="button quiet" href="${blogPath(blog, create)}">${icon("write")}New ${type}</a></div>`}
${(total > 0 || isFiltered(query)) && filterForm(blogPath(blog, `/${name}`), query, topics)}
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
${postRows(call.platen, posts, selectBox)}
${bulkBar(topics.categories, total > posts.length ? all : null)}
</form>`
}
${pageLinks(call, total, POSTS_PER_PAGE)}
</div>`;
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
