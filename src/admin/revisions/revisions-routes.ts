import { CACHE_CONTROL, type HttpResponse, sendResponse, textResponse } from "../../http/responses/response";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { findPost } from "../../posts/reading/finding-posts";
import { changesToRevision } from "../../posts/writing/restoring-revisions";
import { savePost } from "../../posts/writing/saving";
import { postIdIn } from "../editor/editor-routes";
import { adminResponse } from "../layout/admin-responses";
import { adminRouter } from "../layout/admin-router";
import { blogPath } from "../layout/menu-places";
import { redirectWithToast } from "../layout/toasts";
import { type BlogVisit, readAdminForm, requireBlogVisit } from "../layout/visit";
import { revisionsMain } from "./revisions-page";
import { revisionsHead } from "./revisions-styles";

/** Maximum length of an id in characters. */
const ID = 20;

export const revisions = (platen: Platen) =>
  adminRouter(platen, "revisions")
    .get("/admin/blogs/:slug/posts/:id/revisions", async ({ call, params }) =>
      sendResponse(call, await revisionsAnswer(requireBlogVisit(call, params.slug), postIdIn(params.id))),
    )
    .post(
      "/admin/blogs/:slug/posts/:id/revisions",
      async ({ call, params }) =>
        sendResponse(call, await restore(requireBlogVisit(call, params.slug), postIdIn(params.id))),
      { parse: "none" },
    )
    .get("/admin/blogs/:slug/posts/:id/revisions/:revision", async ({ call, params }) => {
      const visit = requireBlogVisit(call, params.slug);
      return sendResponse(call, formerText(visit, postIdIn(params.id), postIdIn(params.revision)));
    });

async function revisionsAnswer(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const revision = visit.call.url.searchParams.get("revision");
  return await answerWith(visit, id, revision === null ? null : postIdIn(revision));
}

async function answerWith(visit: BlogVisit, id: number, chosen: number | null): Promise<HttpResponse> {
  const post = ownPost(visit, id);
  const main = await revisionsMain(visit, post, chosen);
  return await adminResponse(visit, {
    title: "Revisions",
    place: post.type === "page" ? "pages" : "posts",
    head: revisionsHead,
    main,
  });
}

function formerText(visit: BlogVisit, id: number, revision: number): HttpResponse {
  const { content = "" } = changesToRevision(visit.call.platen, ownPost(visit, id), revision);
  const headers = { "cache-control": CACHE_CONTROL.noStore, "x-content-type-options": "nosniff" };
  return textResponse(200, content, headers);
}

async function restore(visit: BlogVisit, id: number): Promise<HttpResponse> {
  const { call, blog } = visit;
  const form = await readAdminForm(visit, { revision: ID });
  const revision = postIdIn(form.get("revision") ?? "");
  // Read outside the save transaction, because a revision never changes.
  const changes = changesToRevision(call.platen, ownPost(visit, id), revision);
  const request = () => ({ blog, before: ownPost(visit, id), changes });
  await savePost(call.platen, visit, request, (save) => save());
  return redirectWithToast(call, blogPath(blog, `/posts/${id}`), { says: "Revision restored." });
}

/** @throws Refusal (missing, forbidden) */
function ownPost(visit: BlogVisit, id: number): Post {
  return findPost(visit.call.platen, visit, id, visit.blog.id);
}
