import { inTransaction } from "../../database/transactions";
import type { Answer } from "../../http/answers/answer";
import { seeOther } from "../../http/forms/see-other";
import { LONGEST } from "../../limits";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import { deletedPost } from "../../posts/trash/deleted-posts";
import { undeletePost } from "../../posts/writing/publishing";
import { withRendering } from "../../posts/writing/rendered-content";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { blogPath } from "../layout/places";
import { toastThen } from "../layout/toasts";
import { type BlogVisit, sentForm } from "../layout/visit";
import { postName } from "../words/post-name";
import { BULK_ACTIONS, bulkIn, carryOut } from "./bulk-changes";
import { bulkMain, countOf } from "./bulk-page";
import { listQueryIn } from "./list-choice";
import { LISTS, type ListName, listMain } from "./list-page";
import { trashMain } from "./trash-page";
import { undoDeleting } from "./undo-deleting";

/** An id has 15 digits at most. */
const ID = 20;
const BULK_FORM = { do: ID, to: ID, id: ID, next: LONGEST.address };
const TRASH_FORM = { id: ID, next: LONGEST.address };

/** Lists of posts and pages, what is done with many at once, and the trash. */
export const posts = (platen: Platen) =>
  adminDoor(platen, "posts")
    .get(
      "/admin/blogs/:slug/posts",
      onBlog((visit) => listAnswer(visit, "posts")),
    )
    .get(
      "/admin/blogs/:slug/pages",
      onBlog((visit) => listAnswer(visit, "pages")),
    )
    .get("/admin/blogs/:slug/posts/bulk", onBlog(bulkPreview))
    .post("/admin/blogs/:slug/posts/bulk", onBlog(bulkDone), { parse: "none" })
    .get("/admin/blogs/:slug/posts/trash", onBlog(trashAnswer))
    .post("/admin/blogs/:slug/posts/trash", onBlog(restored), { parse: "none" });

function listAnswer(visit: BlogVisit, name: ListName): Promise<Answer> {
  const query = listQueryIn(visit.call.url.searchParams);
  const main = listMain(visit, name, query);
  return adminAnswer(visit, { title: LISTS[name].title, place: name, main, scripts: ["post-list"] });
}

/** Reads only, so that it can be reloaded; the button on it is what changes anything. */
function bulkPreview(visit: BlogVisit): Answer | Promise<Answer> {
  const { searchParams } = visit.call.url;
  const next = localPath(searchParams.get("next")) ?? blogPath(visit.blog, "/posts");
  const ids = searchParams.getAll("id");
  if (ids.length === 0) return toastThen(visit.call, next, { says: "Tick something first." });
  const bulk = bulkIn(visit, { verb: searchParams.get("do"), ids, to: searchParams.get("to") });
  const title = BULK_ACTIONS[bulk.verb].button;
  return adminAnswer(visit, { title, place: "posts", main: bulkMain(visit, bulk, next) });
}

async function bulkDone(visit: BlogVisit): Promise<Answer> {
  const form = await sentForm(visit, BULK_FORM);
  const bulk = bulkIn(visit, { verb: form.get("do"), ids: form.getAll("id"), to: form.get("to") });
  const next = localPath(form.get("next")) ?? blogPath(visit.blog, "/posts");
  const changed = carryOut(visit, bulk);
  if (changed.length === 0) return seeOther(next);
  const says = `${countOf(changed)} ${BULK_ACTIONS[bulk.verb].done}.`;
  const undo = bulk.verb === "delete" ? undoDeleting(visit.blog, changed, next) : undefined;
  return toastThen(visit.call, next, { says, undo });
}

function trashAnswer(visit: BlogVisit): Promise<Answer> {
  const { page } = listQueryIn(visit.call.url.searchParams);
  return adminAnswer(visit, { title: "Trash", place: "posts", main: trashMain(visit, page) });
}

/** One or many, all or none; also what Undo sends. */
async function restored(visit: BlogVisit): Promise<Answer> {
  const { call, blog } = visit;
  const form = await sentForm(visit, TRASH_FORM);
  const ids = [...new Set(form.getAll("id"))].map(Number);
  const posts = await withRendering(call.platen, visit, (rendered) =>
    inTransaction(call.platen, () =>
      ids.map((id) => undeletePost(call.platen, blog, deletedPost(call.platen, blog, id), rendered)),
    ),
  );
  const next = localPath(form.get("next")) ?? blogPath(blog, "/posts/trash");
  const [first] = posts;
  const what = posts.length === 1 && first ? `“${postName(first)}”` : countOf(posts);
  return toastThen(call, next, { says: `${what} restored.` });
}
