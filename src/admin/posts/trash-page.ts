import { csrfField } from "../../owner/csrf";
import type { PostRow } from "../../posts/post/post";
import { purgePreview } from "../../posts/trash/purging-posts";
import { deletedPosts, purgeTime } from "../../posts/trash/trash";
import { type Html, html } from "../../text/html";
import { counted } from "../../text/numbers";
import { deletionMain } from "../layout/deletion-page";
import { blogPath } from "../layout/menu-places";
import { pageLinks, wayUp } from "../layout/page-links";
import { selectionCount } from "../layout/selection-count";
import type { BlogVisit } from "../layout/visit";
import { postName } from "../words/post-name";
import { timesFor } from "../words/times";
import { countOf } from "./bulk-page";
import { stateTabs } from "./filter-form";

/** What will be gone for good, with all that goes with it. */
export async function goneForGoodMain(visit: BlogVisit, posts: PostRow[]): Promise<Html> {
  const { komments, revisions, files } = await purgePreview(
    visit.call.platen,
    posts.map(({ id }) => id),
  );
  const names = files.slice(0, MOST_NAMED).map(({ filename }) => filename);
  const more = files.length - names.length;
  const along = [
    komments > 0 && counted(komments, "komment"),
    revisions > 0 && counted(revisions, "revision"),
    files.length > 0 &&
      `${counted(files.length, "file")} that nothing else uses (${names.join(", ")}${more > 0 ? ` and ${more} more` : ""})`,
  ].filter((words) => words !== false);
  return deletionMain(visit, {
    words: `Delete ${countOf(posts)} for good`,
    hint: `This cannot be taken back.${along.length > 0 ? ` Gone too will be ${new Intl.ListFormat("en").format(along)}.` : ""}`,
    rows: posts.map((post) => ({ id: post.id, name: postName(post), text: post.excerpt ?? "" })),
    action: blogPath(visit.blog, "/posts/trash/deletion"),
    next: blogPath(visit.blog, "/posts/trash"),
  });
}

/** Of files that go. */
const MOST_NAMED = 12;
/** Deleted posts on a page. */
const ON_A_PAGE = 50;

/** What was deleted, and until when it can be brought back. @param page from 1 */
export function trashMain({ call, blog, token }: BlogVisit, page: number): Html {
  const { posts, total } = deletedPosts(call.platen, blog, page, ON_A_PAGE);
  const times = timesFor(blog, call.platen.now());
  const path = blogPath(blog, "/posts/trash");
  return html`${wayUp(blogPath(blog, "/posts"), "Posts")}
<div class="page-head"><h1>Trash</h1></div>
<p class="lead">What is deleted can be restored for 30 days. Then it is gone for good, with the pictures that only it showed.</p>
<div class="list-head">
${stateTabs(blogPath(blog, "/posts"), path, null)}
${total > 0 && html`<p class="count">${counted(total, "post or page", "posts and pages")}</p>`}
</div>
${
  posts.length === 0
    ? html`<div class="empty"><h2>The trash is empty</h2><p>Posts and pages that you delete wait here.</p></div>`
    : html`<ul class="rows">
${posts.map(
  (
    post,
  ) => html`<li><label class="choice"><input type="checkbox" name="id" value="${post.id}" form="chosen"><span class="spoken">Choose ${postName(post)}</span></label><div class="what"><strong class="name">${postName(post)}</strong>
<p class="about"><span>${post.type === "page" ? "Page" : "Post"}</span><span>deleted ${post.deletedAt && times.near(post.deletedAt)}</span><span>gone ${times.near(purgeTime(post) as Date)}</span></p></div>
<form method="post" action="${path}">${csrfField(token)}<input type="hidden" name="id" value="${post.id}"><button class="quiet">Restore<span class="spoken"> ${postName(post)}</span></button></form></li>`,
)}
</ul>
<form id="chosen" method="post" action="${path}">
${csrfField(token)}
<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
<button class="quiet">Restore</button>
<button class="danger" formaction="${path}/deletion">Delete for good</button>
</div>
</form>`
}
${pageLinks(page, Math.ceil(total / ON_A_PAGE), (other) => `${path}?page=${other}`)}`;
}
