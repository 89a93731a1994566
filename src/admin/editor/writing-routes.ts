import { type FieldFaults, notFound, Refusal } from "../../errors";
import { html } from "../../html";
import type { Answer } from "../../http/answers/answer";
import { STATUS } from "../../http/answers/error-answers";
import { send } from "../../http/answers/sending";
import type { Platen } from "../../platen";
import { wholePost } from "../../posts/parts/whole-post";
import type { Post, WholePost } from "../../posts/post/post";
import { postOf } from "../../posts/reading/post-by-id";
import { deletePost, updatePost } from "../../posts/writing/publishing";
import { nothingRendered } from "../../posts/writing/rendered-content";
import { adminAnswer } from "../layout/admin-answers";
import { adminDoor } from "../layout/admin-door";
import { blogPath } from "../layout/places";
import { type Toast, toastThen } from "../layout/toasts";
import { type BlogVisit, blogVisit } from "../layout/visit";
import { postName } from "../words/post-name";
import { stateOf } from "../words/post-state";
import { timesFor } from "../words/times";
import { EMPTY_POST, fieldsOf, type PostFields } from "./post-fields";
import { duplicatePost, Overtaken, savePost, takeInFiles } from "./saving";
import { type SentPost, sentPost } from "./sent-post";
import { staleNotice } from "./stale-save";
import { editorStyles, type Writing, writingMain } from "./writing-page";

/** Writing posts and pages. */
export const writing = (platen: Platen) =>
  adminDoor(platen, "writing")
    .get("/admin/blogs/:slug/posts/new", async ({ call, params }) => {
      const visitor = blogVisit(call, params.slug);
      return send(
        call,
        await writingAnswer(visitor, { post: null, fields: newFields(call.url.searchParams) }),
      );
    })
    .get("/admin/blogs/:slug/posts/:id", async ({ call, params }) => {
      const visitor = blogVisit(call, params.slug);
      const post = wholePostOf(visitor, idIn(params.id));
      return send(call, await writingAnswer(visitor, { post, fields: fieldsOf(post) }));
    })
    .post(
      "/admin/blogs/:slug/posts/new",
      async ({ call, params }) => send(call, await save(blogVisit(call, params.slug), null)),
      { parse: "none" },
    )
    .post(
      "/admin/blogs/:slug/posts/:id",
      async ({ call, params }) => send(call, await save(blogVisit(call, params.slug), idIn(params.id))),
      { parse: "none" },
    );

/** @throws Refusal: missing, forbidden */
function wholePostOf(visitor: BlogVisit, id: number): WholePost {
  const { call, blog } = visitor;
  return wholePost(call.platen, postOf(call.platen, visitor, id, blog.id));
}

/** @throws Refusal (missing) for what is no id */
function idIn(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw notFound("post");
  return Number(text);
}

function newFields(query: URLSearchParams): PostFields {
  return {
    ...EMPTY_POST,
    title: query.get("title") ?? "",
    type: query.get("type") === "page" ? "page" : "post",
    contentType: query.get("format") === "markdown" ? "markdown" : "html",
  };
}

function writingAnswer(visitor: BlogVisit, shown: Writing, status = 200, toast?: Toast): Promise<Answer> {
  return adminAnswer(visitor, {
    title: shown.post ? postName(shown.post) : `New ${shown.fields.type}`,
    main: writingMain(visitor, shown),
    head: html`<link rel="stylesheet" href="${editorStyles.path}">`,
    scripts: [shown.fields.contentType === "markdown" ? "markdown-editor" : "post-editor", "post-panel"],
    bodyClass: shown.fields.contentType === "markdown" ? "is-writing in-markdown" : "is-writing",
    policy: ["frame-src 'self'"],
    status,
    toast,
  });
}

async function save(visitor: BlogVisit, id: number | null): Promise<Answer> {
  const { call, blog } = visitor;
  const sent = await sentPost(visitor);
  if (sent.action === "delete" && id !== null)
    return remove(visitor, postOf(call.platen, visitor, id, blog.id));
  const whole = await takeInFiles(call.platen, blog, sent);
  if (id !== null && (sent.action === "share" || sent.action === "revoke")) return share(visitor, id, whole);
  try {
    if (id !== null && sent.action === "duplicate") {
      const { post } = await duplicatePost(visitor, id, whole);
      return toastThen(call, blogPath(blog, `/posts/${post.id}`), {
        says: "This is the duplicate, a draft.",
      });
    }
    const { post, warnings } = await savePost(visitor, id, whole);
    const told = warnings.filter((warning) => !warning.startsWith("alt_text names"));
    const says = [savedWords(visitor, post, whole), ...told].join(" ");
    return toastThen(call, blogPath(blog, `/posts/${post.id}`), { says });
  } catch (fault) {
    return notSaved(visitor, id, whole, fault);
  }
}

/** At once, and without saving what stands in the form: that stays there. */
function share(visitor: BlogVisit, id: number, { action, fields, version }: SentPost): Promise<Answer> {
  const { call, blog } = visitor;
  const isShared = action === "share";
  updatePost(call.platen, postOf(call.platen, visitor, id, blog.id), { isShared }, nothingRendered);
  const shown = { post: wholePostOf(visitor, id), fields, version, isPanelOpen: true };
  return writingAnswer(visitor, shown, 200, {
    says: isShared ? "Here is the share link." : "The share link is revoked: it leads nowhere now.",
  });
}

function savedWords({ call, blog }: BlogVisit, post: Post, { action }: SentPost): string {
  const now = call.platen.now();
  const state = stateOf(post, now);
  if (state === "scheduled" && post.publishedAt)
    return `Goes live on ${timesFor(blog, now).full(post.publishedAt)}.`;
  if (state === "live") return action === "save" ? "Changes published." : "Published.";
  if (state === "archived") return "Archived: off the site.";
  if (action === "unpublish") return "Unpublished: a draft again.";
  return state === "draft" ? "Draft saved." : "Saved.";
}

/** The form again, with all that was typed. */
function notSaved(
  visitor: BlogVisit,
  id: number | null,
  { fields }: SentPost,
  fault: unknown,
): Promise<Answer> {
  if (fault instanceof Overtaken)
    return writingAnswer(visitor, { post: fault.post, fields, notice: staleNotice(fault.post, fields) }, 409);
  if (!(fault instanceof Refusal && fault.fields)) throw fault;
  const post = id === null ? null : wholePostOf(visitor, id);
  return writingAnswer(visitor, { post, fields, faults: fieldFaults(fault.fields) }, STATUS[fault.kind]);
}

/** By the names of this form's fields. */
function fieldFaults({ published_at, ...faults }: FieldFaults): FieldFaults {
  return { ...faults, ...(published_at && { publish_at: published_at }) };
}

function remove(visitor: BlogVisit, post: Post): Answer {
  deletePost(visitor.call.platen, post);
  const list = blogPath(visitor.blog, post.type === "page" ? "/pages" : "/posts");
  const undo = {
    action: blogPath(visitor.blog, "/posts/trash"),
    fields: { id: String(post.id), next: blogPath(visitor.blog, `/posts/${post.id}`) },
  };
  return toastThen(visitor.call, list, { says: `“${postName(post)}” is in the trash.`, undo });
}
