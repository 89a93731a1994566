import { listPosts } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { counted, grouped } from "../../text/numbers";
import { blogPath } from "../layout/menu-places";
import { icon, pageLinks } from "../layout/page-controls";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/words";
import { bulkBar } from "./bulk-changes";
import {
  categoryWithId,
  filterForm,
  isFiltered,
  type ListQuery,
  listAddress,
  listingOf,
  offeredTopics,
  stateTabs,
} from "./post-list-query";
import { postRows } from "./post-rows";

const POSTS_PER_PAGE = 30;

/** Texts for the lists of posts and pages. */
export const LISTS = {
  posts: { type: "post", title: "Posts", one: "post", path: "/posts", create: "/posts/new" },
  pages: { type: "page", title: "Pages", one: "page", path: "/pages", create: "/posts/new?type=page" },
} as const;

export type ListName = keyof typeof LISTS;

/** The list with its filters and bulk actions. A script replaces `#results`. */
export async function listMain(visit: BlogVisit, name: ListName, query: ListQuery): Promise<Html> {
  const { call, blog } = visit;
  const { title, one, create, type } = LISTS[name];
  const path = blogPath(blog, LISTS[name].path);
  const { posts, total } = await listPosts(
    call.platen,
    blog,
    { ...listingOf(query, blog, type), limit: POSTS_PER_PAGE },
    (ids) => postsWithIds(call.platen, blog, ids),
  );
  const topics = offeredTopics(call.platen, blog);
  const named = query.named || (categoryWithId(call.platen, blog, query.category)?.name ?? "");
  const here = listAddress(path, query, { page: query.page });
  return html`<div class="page-head">
<h1>${title}</h1>
${name === "pages" && html`<div class="ways"><a class="button quiet" href="${blogPath(blog, create)}">${icon("write")}New ${one}</a></div>`}
${(total > 0 || isFiltered(query)) && filterForm(path, query, topics, named)}
</div>
<div class="list-head">
${stateTabs(path, blogPath(blog, "/posts/trash"), query, total)}
<p class="count spoken" id="count" role="status">${total === 0 ? `No ${one}s` : counted(total, one)}</p>
</div>
<div id="results">
${
  posts.length === 0
    ? emptyPostList(visit, name, query)
    : html`<form method="get" action="${blogPath(blog, "/posts/bulk")}">
<input type="hidden" name="next" value="${here}">
${postRows(
  call.platen,
  posts,
  (post) =>
    html`<label class="choice"><input type="checkbox" name="id" value="${post.id}"><span class="spoken">Select ${postName(post)}</span></label>`,
)}
${bulkBar(topics.categories, total > posts.length ? selectAllLabel(total, one, isFiltered(query)) : null)}
</form>`
}
${pageLinks(query.page, Math.ceil(total / POSTS_PER_PAGE), (page) => listAddress(path, query, { page }))}
</div>`;
}

function selectAllLabel(total: number, one: string, isFiltered: boolean): string {
  return `Select all ${grouped(total)}${isFiltered ? " matching" : ""} ${one}s`;
}

function emptyPostList({ blog }: BlogVisit, name: ListName, query: ListQuery): Html {
  const { one, path, create } = LISTS[name];
  if (isFiltered(query) || query.page > 1)
    return html`<div class="empty">
<h2>No matching ${one}s</h2>
<p>Try fewer words or another filter.</p>
<p class="actions"><a class="button quiet" href="${blogPath(blog, path)}">Show all</a></p>
</div>`;
  const says =
    name === "posts"
      ? "Posts appear on the home page, newest first, and in feeds."
      : "Pages, such as “About”, aren’t in lists or feeds.";
  return html`<div class="empty">
<h2>No ${one}s yet</h2>
<p>${says} Nobody sees them until you publish.</p>
<p class="actions"><a class="button" href="${blogPath(blog, create)}">${icon("write")}Write your first ${one}</a></p>
</div>`;
}
