import { type Html, html } from "../../html";
import { csrfField } from "../../owner/csrf";
import { deletedPosts, goneAt } from "../../posts/trash/deleted-posts";
import { pageLinks } from "../layout/page-links";
import { blogPath } from "../layout/places";
import type { BlogVisit } from "../layout/visit";
import { counted } from "../words/counts";
import { postName } from "../words/post-name";
import { timesFor } from "../words/times";
import { stateTabs } from "./filter-form";

/** Deleted posts on a page. */
const ON_A_PAGE = 50;

/** What was deleted, and until when it can be brought back. @param page from 1 */
export function trashMain({ call, blog, token }: BlogVisit, page: number): Html {
  const { posts, total } = deletedPosts(call.platen, blog, page, ON_A_PAGE);
  const times = timesFor(blog, call.platen.now());
  const path = blogPath(blog, "/posts/trash");
  return html`<div class="page-head"><h1>Trash</h1></div>
<p class="lead">What is deleted can be restored for 30 days. Then it is gone, with the pictures that only it showed.</p>
<div class="list-head">
${stateTabs(blogPath(blog, "/posts"), path, null)}
${total > 0 && html`<p class="count">${counted(total, "post or page", "posts and pages")}</p>`}
</div>
${
  posts.length === 0
    ? html`<div class="empty"><h2>The trash is empty</h2><p>Posts and pages that you delete wait here.</p></div>`
    : html`<ul class="rows">
${posts.map(
  (post) => html`<li><div class="what"><strong class="name">${postName(post)}</strong>
<p class="about"><span>${post.type === "page" ? "Page" : "Post"}</span><span>deleted ${post.deletedAt && times.near(post.deletedAt)}</span><span>gone ${times.near(goneAt(post) as Date)}</span></p></div>
<form method="post" action="${path}">${csrfField(token)}<input type="hidden" name="id" value="${post.id}"><button class="quiet">Restore<span class="spoken"> ${postName(post)}</span></button></form></li>`,
)}
</ul>`
}
${pageLinks(page, Math.ceil(total / ON_A_PAGE), (other) => `${path}?page=${other}`)}`;
}
