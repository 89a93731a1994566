import { type Answer, textAnswer } from "../../http/answers/answer";
import { CACHING } from "../../http/answers/caching";
import { send } from "../../http/answers/sending";
import { inPieces, inTurn, inTurnOfComparing, readerSignedIn } from "../../http/memory/long-answers";
import type { Platen } from "../../platen";
import type { Post } from "../../posts/post/post";
import { postOf } from "../../posts/reading/post-by-id";
import { formerVersion } from "../../posts/revisions/revisions-in-order";
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
    )
    .get("/admin/blogs/:slug/posts/:id/revisions/:revision", async ({ call, params }) => {
      const visit = blogVisit(call, params.slug);
      return send(call, await formerText(visit, postIdIn(params.id), postIdIn(params.revision)));
    });

/** Long texts are compared for one after the other: sixty at once took four gigabytes. */
async function revisionsAnswer(visit: BlogVisit, id: number): Promise<Answer> {
  const { call, account } = visit;
  const revision = call.url.searchParams.get("revision");
  const chosen = revision === null ? null : postIdIn(revision);
  const answer = () => answerWith(visit, id, chosen);
  const isLong = chosen !== null && formerVersion(call.platen, ownPost(visit, id), chosen).isLong;
  return isLong ? await inTurnOfComparing(call, readerSignedIn(account), answer) : await answer();
}

async function answerWith(visit: BlogVisit, id: number, chosen: number | null): Promise<Answer> {
  const post = ownPost(visit, id);
  const main = await revisionsMain(visit, post, chosen);
  return await adminAnswer(visit, {
    title: "Revisions",
    place: post.type === "page" ? "pages" : "posts",
    main,
  });
}

/** What it said, as it was written. */
function formerText(visit: BlogVisit, id: number, revision: number): Promise<Answer> {
  const { call, account } = visit;
  const reader = readerSignedIn(account);
  return inTurn(call, reader, async () => {
    const { content = "" } = await formerVersion(call.platen, ownPost(visit, id), revision).changesBack();
    const headers = { "cache-control": CACHING.nowhere, "x-content-type-options": "nosniff" };
    return inPieces(call.platen, textAnswer(200, content, headers), () => reader);
  });
}

/** A save like any other. */
async function restore(visit: BlogVisit, id: number): Promise<Answer> {
  const { call, blog } = visit;
  const form = await sentForm(visit, { revision: ID });
  const revision = postIdIn(form.get("revision") ?? "");
  // What a version was stays so, whatever is saved meanwhile.
  const changes = await formerVersion(call.platen, ownPost(visit, id), revision).changesBack();
  await withRendering(call.platen, visit, (rendered) =>
    updatePost(call.platen, ownPost(visit, id), changes, rendered),
  );
  return toastThen(call, blogPath(blog, `/posts/${id}`), { says: "Restored." });
}

/** @throws Refusal: missing, forbidden */
function ownPost(visit: BlogVisit, id: number): Post {
  return postOf(visit.call.platen, visit, id, visit.blog.id);
}
