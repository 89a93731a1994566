import { listPosts } from "../../posts/reading/filtered-posts";
import { postsWithIds } from "../../posts/storage/stored-posts";
import { type Html, html } from "../../text/html";
import { counted, grouped } from "../../text/numbers";
import { icon } from "../layout/line-icons";
import { blogPath } from "../layout/menu-places";
import { pageLinks } from "../layout/page-links";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";
import { bulkBar } from "./bulk-bar";
import { filterForm, stateTabs } from "./filter-form";
import { categoryWithId, offeredTopics } from "./offered-topics";
import { isFiltered, type ListQuery, listAddress, listingOf } from "./post-list-query";
import { postRows } from "./post-rows";

/** Posts on a page of the list. */
const ON_A_PAGE = 30;

/** The two lists there are, which differ in words alone. */
export const LISTS = {
  posts: { type: "post", title: "Posts", one: "post", path: "/posts", create: "/posts/new" },
  pages: { type: "page", title: "Pages", one: "page", path: "/pages", create: "/posts/new?type=page" },
} as const;

export type ListName = keyof typeof LISTS;

/** The list, what narrows it, and what can be done with what is ticked. The script exchanges `#results` (see browser/following-form). */
export async function listMain(visit: BlogVisit, name: ListName, query: ListQuery): Promise<Html> {
  const { call, blog } = visit;
  const { title, one, create, type } = LISTS[name];
  const path = blogPath(blog, LISTS[name].path);
  const { posts, total } = await listPosts(
    call.platen,
    blog,
    { ...listingOf(query, blog, type), limit: ON_A_PAGE },
    (ids) => postsWithIds(call.platen, blog, ids),
  );
  const topics = offeredTopics(call.platen, blog);
  const named = query.named || (categoryWithId(call.platen, blog, query.category)?.name ?? "");
  const here = listAddress(path, query, { page: query.page });
  return html`<div class="page-head">
<h1>${title}</h1>
${name === "pages" && html`<div class="ways"><a class="button quiet" href="${blogPath(blog, create)}">${icon("write")}New ${one}</a></div>`}
</div>
${(total > 0 || isFiltered(query)) && filterForm(path, query, topics, named)}
<div class="list-head">
${stateTabs(path, blogPath(blog, "/posts/trash"), query)}
<p class="count" id="count" role="status">${total === 0 ? "Nothing" : counted(total, one)}</p>
</div>
<div id="results">
${
  posts.length === 0
    ? nothingFound(visit, name, query)
    : html`<form method="get" action="${blogPath(blog, "/posts/bulk")}">
<input type="hidden" name="next" value="${here}">
${postRows(
  call.platen,
  posts,
  (post) =>
    html`<label class="choice"><input type="checkbox" name="id" value="${post.id}"><span class="spoken">Choose ${postName(post)}</span></label>`,
)}
${bulkBar(topics.categories, total > posts.length ? allWords(total, one, isFiltered(query)) : null)}
</form>`
}
${pageLinks(query.page, Math.ceil(total / ON_A_PAGE), (page) => listAddress(path, query, { page }))}
</div>`;
}

function allWords(total: number, one: string, isFiltered: boolean): string {
  return `All ${grouped(total)} ${one}s${isFiltered ? " that match" : ""}, not only this page’s`;
}

function nothingFound({ blog }: BlogVisit, name: ListName, query: ListQuery): Html {
  const { one, path, create } = LISTS[name];
  if (isFiltered(query) || query.page > 1)
    return html`<div class="empty">
<h2>Nothing fits</h2>
<p>No ${one} is all that at once. Try fewer words, or another state.</p>
<p class="actions"><a class="button quiet" href="${blogPath(blog, path)}">Show all</a></p>
</div>`;
  const says =
    name === "posts"
      ? "Posts stand on the front page, the newest first, and in the feeds."
      : "Pages stand on their own, such as “About”: in no feed and on no front page.";
  return html`<div class="empty">
<h2>No ${one} yet</h2>
<p>${says} Nobody sees it until you publish it.</p>
<p class="actions"><a class="button" href="${blogPath(blog, create)}">${icon("write")}Write the first</a></p>
</div>`;
}
