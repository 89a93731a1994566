import { postUrl } from "../../blogs/blogs";
import type { RefusalKind } from "../../errors";
import { formError } from "../../http/form-field";
import { wantsJson } from "../../http/requests/headers";
import { ERROR_STATUS, errorHeaders, toRefusal } from "../../http/responses/error-responses";
import { jsonResponse } from "../../http/responses/response";
import type { WholePost } from "../../posts/post/post";
import { deletePost } from "../../posts/trash";
import { findUnsaved, knowsStored, settleUnsaved, type UnsavedPost } from "../../posts/unsaved-posts";
import { changePost } from "../../posts/writing/saving";
import { newSecret } from "../../secrets";
import type { AdminPage } from "../layout/admin-layout";
import { type AdminResult, blogRoutes } from "../layout/routing";
import { redirectWithToast, type Toast } from "../layout/toasts";
import { type BlogVisit, blogPath } from "../layout/visit";
import { postName, stateOf } from "../posts/post-states-and-rows";
import { undoDeleting } from "../posts/trash-routes";
import { mergeTexts } from "./conflict-merge";
import { conflictNotice } from "./conflict-notice";
import { appendFiles, discardFiles } from "./editor-files";
import { type EditorState, editorPage } from "./editor-page";
import {
  assertNoConflict,
  continueAsHtml,
  duplicatePost,
  placeOf,
  SaveConflict,
  saveForm,
  storedPost,
} from "./editor-saving";
import {
  changesNothing,
  EMPTY_POST,
  fieldsOf,
  type PostFields,
  parseFields,
  readSentPost,
  type SentPost,
  versionOf,
  withUnofferedChannels,
} from "./post-form";
import { describeSave, publishedSheet } from "./save-messages";

export const writingRoutes = blogRoutes({
  "GET /posts/new": (visit) => editorPage(visit, openNewPost(visit)),
  "GET /posts/:id": async (visit, id) => editorPage(visit, await openPost(visit, id)),
  "POST /posts/new": (visit) => saveResponse(visit, null),
  "POST /posts/:id": saveResponse,
});

/** After these errors, the same form can be saved later. */
const TEMPORARY_ERRORS: RefusalKind[] = ["busy", "no room", "unwritable"];

function openNewPost(visit: BlogVisit): EditorState {
  const query = visit.call.url.searchParams;
  const newPost = query.get("unsaved") ?? newSecret();
  const unsaved = findUnsaved(visit.platen, placeOf(visit, { id: null, newPost }));
  const fields = unsaved ? parseFields(unsaved.fields) : newFields(query);
  return {
    post: null,
    newPost,
    fields: withUnofferedChannels(visit.blog, fields, null),
    kept: unsaved?.stamps,
  };
}

async function openPost(visit: BlogVisit, id: number): Promise<EditorState> {
  const post = storedPost(visit, id);
  const unsaved = findUnsaved(visit.platen, placeOf(visit, { id, newPost: "" }));
  if (!unsaved) return { post, fields: fieldsOf(post) };
  const fields = withUnofferedChannels(post.blog, parseFields(unsaved.fields), post);
  // The unsaved changes may have begun with an older version of the post.
  const isStale = unsaved.version !== versionOf(post);
  const conflict = { theirs: fieldsOf(post), mine: fields, isSaved: true };
  const notice = isStale ? await conflictNotice(visit, conflict) : undefined;
  return { post, fields, kept: unsaved.stamps, notice };
}

function newFields(query: URLSearchParams): PostFields {
  const isPage = query.get("type") === "page";
  return {
    ...EMPTY_POST,
    title: query.get("title") ?? "",
    type: isPage ? "page" : "post",
    switches: isPage ? ["kommentsDisabled"] : [],
    offered: [],
    contentType: query.get("format") === "markdown" ? "markdown" : "html",
  };
}

/** Scripts can't read the target of a redirect, so their response contains it as JSON. */
async function saveResponse(visit: BlogVisit, id: number | null): Promise<AdminResult> {
  const { call } = visit;
  const result = await save(visit, await readSentPost(visit, id));
  if (!("location" in result) || !wantsJson(call.request)) return result;
  const redirect = redirectWithToast(call, result.location, result.toast);
  const { location, ...headers } = Object.fromEntries(redirect.headers);
  return jsonResponse(200, { location }, headers);
}

interface Redirect {
  location: string;
  toast: Toast | string;
}

async function save(visit: BlogVisit, sent: SentPost): Promise<AdminPage | Redirect> {
  const { platen, blog } = visit;
  const { id, action } = sent;
  let complete = sent;
  try {
    if (action === "delete" && id !== null) return remove(visit, storedPost(visit, id));
    if (action === "discard") return discard(visit, sent);
    if (action === "compare") return editorPage(visit, sentAgain(assertNoConflict(visit, sent), sent));
    const content = await appendFiles(platen, blog, sent.fields.content, sent.files);
    complete = { ...sent, fields: { ...sent.fields, content } };
    if (id !== null && (action === "share" || action === "revoke")) return share(visit, id, complete);
    if (action === "join" || action === "continue") return await autosaveInstead(visit, complete);
    if (id !== null && action === "duplicate") {
      const { post } = await duplicatePost(visit, id, complete);
      return { location: blogPath(blog, `/posts/${post.id}`), toast: "Draft copy created." };
    }
    const { post, warnings } = await saveForm(visit, complete);
    const shownWarnings = warnings.filter((warning) => !warning.startsWith("alt_text names"));
    const message = [describeSave(visit, post, action), ...shownWarnings].join(" ");
    const isLive = stateOf(post, platen.now()) === "live";
    const link = isLive ? { href: postUrl(platen, blog, post), words: `View ${post.type}` } : undefined;
    const published = action !== "save" && isLive ? publishedSheet(visit, post) : undefined;
    return { location: blogPath(blog, `/posts/${post.id}`), toast: { message, link, published } };
  } catch (error) {
    return await rejectedResponse(visit, complete, error);
  } finally {
    await discardFiles(sent.files);
  }
}

async function autosaveInstead(visit: BlogVisit, sent: SentPost): Promise<Redirect> {
  const isJoined = sent.action === "join";
  if (isJoined) await mergeTexts(visit, sent);
  else if (sent.fields.contentType === "markdown") await continueAsHtml(visit, sent);
  const location = blogPath(visit.blog, `/posts/${sent.id ?? `new?unsaved=${sent.newPost}`}`);
  const toast = isJoined
    ? "Merged, not saved yet."
    : "This is your Markdown as rich text. The rich text is not saved to the post yet. To get the Markdown back, choose Discard changes.";
  return { location, toast };
}

/** Does not save the form. */
function share(visit: BlogVisit, id: number, sent: SentPost): AdminPage {
  const { platen, blog } = visit;
  const isShared = sent.action === "share";
  changePost(platen, visit, storedPost(visit, id), { isShared });
  const post = storedPost(visit, id);
  const isUnsaved = !changesNothing(blog, sent.fields, post) || findUnsaved(platen, placeOf(visit, sent));
  const shown = isUnsaved ? sentAgain(post, sent) : { post, fields: fieldsOf(post) };
  // No toast for a new link, because the link gets the focus.
  const toast = isShared ? undefined : { message: "Share link revoked." };
  return editorPage(visit, { ...shown, isAtShareLink: true }, { toast });
}

function sentAgain(post: WholePost | null, { fields, newPost, stamps, version }: SentPost): EditorState {
  return { post, newPost, fields, version, kept: stamps.join(" "), isRejected: true };
}

async function rejectedResponse(visit: BlogVisit, sent: SentPost, error: unknown): Promise<AdminPage> {
  if (error instanceof SaveConflict) return await conflictResponse(visit, sent, error);
  const route = `/admin/blogs/:slug/posts/${sent.id === null ? "new" : ":id"}`;
  const refusal = toRefusal(visit.call, "UNKNOWN", error, route);
  const { fields, kind, message } = refusal;
  if (!fields && !TEMPORARY_ERRORS.includes(kind)) throw refusal;
  const shown = sentAgain(storedPost(visit, sent.id), sent);
  if (fields) {
    const { published_at, ...errors } = fields;
    shown.errors = { ...errors, ...(published_at && { publish_at: published_at }) };
  } else shown.notice = formError(message);
  return editorPage(visit, shown, { status: ERROR_STATUS[kind], headers: errorHeaders(refusal) });
}

async function conflictResponse(visit: BlogVisit, sent: SentPost, { post, unsaved }: SaveConflict) {
  const { fields: mine, choices } = sent;
  const theirs = unsaved || !post ? parseFields((unsaved as UnsavedPost).fields) : fieldsOf(post);
  const notice = await conflictNotice(visit, { theirs, mine, isSaved: unsaved === null, choices });
  const version = unsaved && post ? sent.version : undefined;
  const shown = { ...sentAgain(post, sent), version, seen: unsaved?.stamps, notice };
  return editorPage(visit, shown, { status: 409 });
}

function discard(visit: BlogVisit, sent: SentPost): Redirect {
  const { platen, blog } = visit;
  const { id, stamps } = sent;
  storedPost(visit, id);
  const place = placeOf(visit, sent);
  // A newer text from another form is kept.
  if (knowsStored(stamps, findUnsaved(platen, place))) settleUnsaved(platen, place, stamps);
  return { location: blogPath(blog, `/posts/${id ?? "new"}`), toast: "Discarded." };
}

function remove({ platen, blog }: BlogVisit, post: WholePost): Redirect {
  deletePost(platen, post);
  const location = blogPath(blog, post.type === "page" ? "/pages" : "/posts");
  const undo = undoDeleting(blog, [post], blogPath(blog, `/posts/${post.id}`));
  return { location, toast: { message: `“${postName(post)}” moved to the trash.`, undo } };
}
