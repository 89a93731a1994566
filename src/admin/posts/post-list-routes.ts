import { MAX_LENGTHS } from "../../config/request-limits";
import { inTransaction } from "../../database/transactions";
import { notFound } from "../../errors";
import { type HttpResponse, seeOther } from "../../http/responses/response";
import { localPath } from "../../owner/local-path";
import type { Platen } from "../../platen";
import type { PostRow } from "../../posts/post/post";
import { purgePosts } from "../../posts/trash/purging-posts";
import { deletedPostsAmong } from "../../posts/trash/trash";
import { undeletePost } from "../../posts/writing/publishing";
import { counted } from "../../text/numbers";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor, onBlog } from "../layout/admin-door";
import { blogPath } from "../layout/menu-places";
import { type Toast, toastThen } from "../layout/toasts-and-undo";
import { type BlogVisit, sentForm } from "../layout/visit";
import { postName } from "../words/post-name";
import { BULK_ACTIONS, type Bulk, bulkIn, carryOut, type Outlook, outlookOf } from "./bulk-changes";
import { bulkMain, countOf } from "./bulk-page";
import { LISTS, type ListName, listMain } from "./post-list-page";
import { listQueryIn } from "./post-list-query";
import { goneForGoodMain, trashMain } from "./trash-page";
import { undoDeleting } from "./undo-of-deleting";

/** An id has 15 digits at most. */
const ID = 20;
const BULK_FORM = { do: ID, to: ID, id: ID, next: MAX_LENGTHS.address, all: ID, seen: ID };
/** A cookie names them; others are restored from the trash. */
const MOST_UNDONE = 100;
const TRASH_FORM = { id: ID, do: ID, sure: ID, next: MAX_LENGTHS.address };
/** Deleted posts that are removed with one press, at most. */
const TRASH_AT_ONCE = 100;

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
    .post("/admin/blogs/:slug/posts/trash", onBlog(restored), { parse: "none" })
    .post("/admin/blogs/:slug/posts/trash/deletion", onBlog(deletedForGood), { parse: "none" });

async function listAnswer(visit: BlogVisit, name: ListName): Promise<HttpResponse> {
  const query = listQueryIn(visit.call.url.searchParams);
  const main = await listMain(visit, name, query);
  return await adminAnswer(visit, { title: LISTS[name].title, place: name, main, scripts: ["post-list"] });
}

/** Reads only, so that it can be reloaded; the button on it is what changes anything. */
async function bulkPreview(visit: BlogVisit): Promise<HttpResponse> {
  const { searchParams } = visit.call.url;
  const next = localPath(searchParams.get("next")) ?? blogPath(visit.blog, "/posts");
  const ids = searchParams.getAll("id");
  const isAll = searchParams.has("all");
  if (ids.length === 0 && !isAll) return toastThen(visit.call, next, { says: "Tick something first." });
  const bulk = await bulkIn(visit, {
    verb: searchParams.get("do"),
    ids,
    isAll,
    to: searchParams.get("to"),
    named: searchParams.get("named"),
    next,
  });
  return bulkAnswer(visit, bulk, await outlookOf(visit, bulk), next);
}

function bulkAnswer(
  visit: BlogVisit,
  bulk: Bulk,
  outlook: Outlook,
  next: string,
  toast?: Toast,
): Promise<HttpResponse> {
  const title = BULK_ACTIONS[bulk.verb].button;
  return adminAnswer(visit, { title, place: "posts", main: bulkMain(visit, bulk, outlook, next), toast });
}

async function bulkDone(visit: BlogVisit): Promise<HttpResponse> {
  const form = await sentForm(visit, BULK_FORM);
  const next = localPath(form.get("next")) ?? blogPath(visit.blog, "/posts");
  const isAll = form.get("all") !== null;
  const bulk = await bulkIn(visit, {
    verb: form.get("do"),
    ids: form.getAll("id"),
    isAll,
    to: form.get("to"),
    named: null,
    next,
  });
  const outlook = await outlookOf(visit, bulk);
  if (isAll && String(outlook.changing.length) !== form.get("seen"))
    return bulkAnswer(visit, bulk, outlook, next, { says: "The list has changed meanwhile: look again." });
  const changed = await carryOut(visit, bulk, outlook);
  if (changed.length === 0) return seeOther(next);
  const left = bulk.total - bulk.ids.length;
  const says = `${countOf(changed)} ${BULK_ACTIONS[bulk.verb].done}.${left > 0 ? ` ${left} more fit the list.` : ""}`;
  const canUndo = bulk.verb === "delete" && changed.length <= MOST_UNDONE;
  return toastThen(visit.call, next, {
    says,
    undo: canUndo ? undoDeleting(visit.blog, changed, next) : undefined,
  });
}

function trashAnswer(visit: BlogVisit): Promise<HttpResponse> {
  const { page } = listQueryIn(visit.call.url.searchParams);
  return adminAnswer(visit, { title: "Trash", place: "posts", main: trashMain(visit, page) });
}

/** When sure; else a page says first what goes with it. */
async function deletedForGood(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await sentForm(visit, TRASH_FORM);
  const chosen = inTrash(visit, form.getAll("id"));
  const sure = form.get("sure") === "yes";
  if (!sure && chosen.length > 0)
    return adminAnswer(visit, {
      title: "Delete for good",
      place: "posts",
      main: await goneForGoodMain(visit, chosen),
    });
  const files = await purgePosts(call.platen, chosen, visit.account);
  const withFiles = files.length > 0 ? `, with ${counted(files.length, "file")}` : "";
  return toastThen(call, blogPath(blog, "/posts/trash"), {
    says: `${countOf(chosen)} deleted for good${withFiles}.`,
  });
}

/** Those of them that are still there. */
function inTrash({ call, blog }: BlogVisit, ids: string[]): PostRow[] {
  const sent = [...new Set(ids)].slice(0, TRASH_AT_ONCE).filter((id) => /^\d{1,15}$/.test(id));
  return deletedPostsAmong(call.platen, blog, sent.map(Number));
}

/** One or many, all or none; also what Undo sends. */
async function restored(visit: BlogVisit): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await sentForm(visit, TRASH_FORM);
  const ids = [...new Set(form.getAll("id"))].map(Number);
  const posts = inTransaction(call.platen, () =>
    ids.map((id) => {
      const [deleted] = deletedPostsAmong(call.platen, blog, [id]);
      if (!deleted) throw notFound("post in the trash");
      return undeletePost(call.platen, blog, deleted);
    }),
  );
  const next = localPath(form.get("next")) ?? blogPath(blog, "/posts/trash");
  const [first] = posts;
  const what = posts.length === 1 && first ? `“${postName(first)}”` : countOf(posts);
  return toastThen(call, next, { says: `${what} restored.` });
}
