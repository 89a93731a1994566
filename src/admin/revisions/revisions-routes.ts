import type { Answer } from "../../http/answers/answer";
import { send } from "../../http/answers/sending";
import type { Platen } from "../../platen";
import { wholePostInTurns } from "../../posts/parts/whole-post";
import type { WholePost } from "../../posts/post/post";
import { postOf } from "../../posts/reading/post-by-id";
import { changesBack } from "../../posts/revisions/revisions-in-order";
import { updatePost } from "../../posts/writing/publishing";
import { withRendering } from "../../posts/writing/rendered-content";
import { postIdIn } from "../editor/writing-routes";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor } from "../layout/admin-door";
import { blogPath } from "../layout/menu-places";
import { toastThen } from "../layout/toasts-and-undo";
import { type BlogVisit, blogVisit, sentForm } from "../layout/visit";
import { revisionsMain } from "./revisions-page";

/** An id has 15 digits at most. */
const ID = 20;

/** What a post was before each save, and the way back to it. */
export const revisions = (platen: Platen) =>
  adminDoor(platen, "revisions")
    .get("/admin/blogs/:slug/posts/:id/revisions", async ({ call, params }) =>
      send(call, await revisionsAnswer(blogVisit(call, params.slug), postIdIn(params.id))),
    )
    .post(
      "/admin/blogs/:slug/posts/:id/revisions",
      async ({ call, params }) =>
        send(call, await restore(blogVisit(call, params.slug), postIdIn(params.id))),
      { parse: "none" },
    );

async function revisionsAnswer(visit: BlogVisit, id: number): Promise<Answer> {
  const post = await wholePostOf(visit, id);
  const chosen = visit.call.url.searchParams.get("revision");
  const main = await revisionsMain(visit, post, chosen === null ? null : postIdIn(chosen));
  return await adminAnswer(visit, {
    title: "Revisions",
    place: post.type === "page" ? "pages" : "posts",
    main,
  });
}

/** A save like any other. */
async function restore(visit: BlogVisit, id: number): Promise<Answer> {
  const { call, blog } = visit;
  const form = await sentForm(visit, { revision: ID });
  const revision = postIdIn(form.get("revision") ?? "");
  // What a version was stays so, whatever is saved meanwhile.
  const changes = await changesBack(call.platen, await wholePostOf(visit, id), revision);
  await withRendering(call.platen, visit, (rendered) =>
    updatePost(call.platen, postOf(call.platen, visit, id, blog.id), changes, rendered),
  );
  return toastThen(call, blogPath(blog, `/posts/${id}`), { says: "Restored." });
}

/** @throws Refusal: missing, forbidden */
function wholePostOf(visit: BlogVisit, id: number): Promise<WholePost> {
  const { call, blog } = visit;
  return wholePostInTurns(call.platen, postOf(call.platen, visit, id, blog.id));
}
