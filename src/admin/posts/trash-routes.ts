import type { Blog } from "../../blogs/blogs";
import { inTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import { localPath } from "../../http/responses/response";
import type { PostRow } from "../../posts/post/post";
import {
  deletedPosts,
  deletedPostsAmong,
  purgePosts,
  purgePreview,
  purgeTime,
  undeletePost,
} from "../../posts/trash";
import { html } from "../../text/html";
import { counted } from "../../text/numbers";
import {
  deletionMain,
  pageLinks,
  pageNumber,
  parentLink,
  postForm,
  selectAll,
  selectionCount,
} from "../layout/page-controls";
import { type AdminPage, type AdminResult, blogRoutes, withForm } from "../layout/routing";
import type { Toast } from "../layout/toasts";
import { type AdminForm, type BlogVisit, blogPath, idsIn } from "../layout/visit";
import { stateTabs } from "./post-list-routes";
import { countPostsAndPages, postName } from "./post-states-and-rows";

export const trashRoutes = blogRoutes({
  "GET /posts/trash": trashPage,
  "POST /posts/trash": withForm(restorePosts),
  "POST /posts/trash/deletion": withForm(deletePermanently),
});

async function purgeConfirmation(visit: BlogVisit, posts: PostRow[]): Promise<AdminPage> {
  const ids = posts.map(({ id }) => id);
  const { komments, revisions, files } = await purgePreview(visit.platen, ids);
  const names = files.slice(0, MAX_FILES_NAMED).map(({ filename }) => filename);
  const more = files.length - names.length;
  const alsoDeleted = [
    komments > 0 && counted(komments, "komment"),
    revisions > 0 && counted(revisions, "revision"),
    files.length > 0 &&
      `${counted(files.length, "file")} used nowhere else (${names.join(", ")}${more > 0 ? ` and ${more} more` : ""})`,
  ].filter((words) => words !== false);
  const main = deletionMain(visit, {
    words: `Permanently delete ${countPostsAndPages(posts)}`,
    hint: `This can’t be undone.${alsoDeleted.length > 0 ? ` Also deleted: ${new Intl.ListFormat("en").format(alsoDeleted)}.` : ""}`,
    rows: posts.map((post) => ({ id: post.id, name: postName(post), text: post.excerpt ?? "" })),
    action: blogPath(visit.blog, "/posts/trash/deletion"),
    next: blogPath(visit.blog, "/posts/trash"),
  });
  return { title: "Delete permanently", place: "posts", main };
}

const MAX_FILES_NAMED = 12;
const TRASH_PER_PAGE = 50;

function trashPage(visit: BlogVisit): AdminPage {
  const { call, platen, blog, times } = visit;
  const page = pageNumber(call.url.searchParams);
  const { posts, total } = deletedPosts(platen, blog, page, TRASH_PER_PAGE);
  const path = blogPath(blog, "/posts/trash");
  const main = html`${parentLink(blogPath(blog, "/posts"), "Posts")}
<div class="page-head"><h1>Trash</h1></div>
<p class="lead">Posts and pages are deleted permanently after 30 days, along with files used nowhere else.</p>
<div class="list-head">${selectAll}
${stateTabs(visit, null)}
${total > 0 && html`<p class="count">${counted(total, "post or page", "posts and pages")}</p>`}
</div>
${
  posts.length === 0
    ? html`<div class="empty"><h2>The trash is empty</h2><p>Posts and pages that you delete appear here.</p></div>`
    : html`<ul class="rows">
${posts.map(
  (
    post,
  ) => html`<li><label class="choice"><input type="checkbox" name="id" value="${post.id}" form="chosen"><span class="spoken">Select ${postName(post)}</span></label><div class="what"><strong class="name">${postName(post)}</strong>
<p class="about"><span>${post.type === "page" ? "Page" : "Post"}</span><span>deleted ${post.deletedAt && times.near(post.deletedAt)}</span><span>expires ${times.near(purgeTime(post) as Date)}</span></p></div>
${postForm(visit, "", path, { id: post.id })}<button class="quiet" data-in-place>Restore<span class="spoken"> ${postName(post)}</span></button></form></li>`,
)}
</ul>
${postForm(visit, "", path, {}, html`id="chosen"`)}
<div class="bulk" role="group" aria-label="Selection">
${selectionCount}
<button class="quiet">Restore</button>
<button class="danger" formaction="${path}/deletion">Delete permanently</button>
</div>
</form>`
}
${pageLinks(call, total, TRASH_PER_PAGE)}`;
  return { title: "Trash", place: "posts", main, scripts: ["post-list"] };
}

export function undoDeleting(blog: Blog, posts: Pick<PostRow, "id">[], next: string): Toast["undo"] {
  const id = posts.map((post) => String(post.id));
  return { action: blogPath(blog, "/posts/trash"), fields: { id, next } };
}

const MAX_TRASH_POSTS = 100;

async function deletePermanently(visit: BlogVisit, form: AdminForm): Promise<AdminResult> {
  const { platen, blog, account } = visit;
  const ids = idsIn(form.getAll("id")).slice(0, MAX_TRASH_POSTS);
  const selected = deletedPostsAmong(platen, blog, ids);
  if (form.get("sure") !== "yes" && selected.length > 0) return purgeConfirmation(visit, selected);
  const files = await purgePosts(platen, selected, account);
  const withFiles = files.length > 0 ? `, with ${counted(files.length, "file")}` : "";
  const toast = `${countPostsAndPages(selected)} permanently deleted${withFiles}.`;
  return { location: blogPath(blog, "/posts/trash"), toast };
}

function restorePosts({ platen, blog }: BlogVisit, form: AdminForm) {
  const posts = inTransaction(platen, () =>
    idsIn(form.getAll("id")).map((id) => {
      const [deleted] = deletedPostsAmong(platen, blog, [id]);
      if (!deleted) throw notFound("post in the trash");
      return undeletePost(platen, blog, deleted);
    }),
  );
  const location = localPath(form.get("next")) ?? blogPath(blog, "/posts/trash");
  const [first] = posts;
  const restored = posts.length === 1 && first ? `“${postName(first)}”` : countPostsAndPages(posts);
  return { location, toast: `${restored} restored.` };
}
