import { postUrl } from "../../blogs/permalinks";
import type { FieldErrors, RefusalKind } from "../../errors";
import { wantsJson } from "../../http/requests/headers";
import { ERROR_STATUS, errorHeaders, toRefusal } from "../../http/responses/error-responses";
import { jsonResponse } from "../../http/responses/response";
import type { Post, WholePost } from "../../posts/post/post";
import { findPost } from "../../posts/reading/finding-posts";
import { deletePost } from "../../posts/trash";
import { findUnsaved, knowsStored, settleUnsaved, type UnsavedPost } from "../../posts/unsaved-posts";
import { changePost } from "../../posts/writing/saving";
import { newSecret } from "../../secrets";
import { html } from "../../text/html";
import type { AdminPage } from "../layout/admin-layout";
import { editorHead } from "../layout/admin-styles";
import type { AdminResult } from "../layout/routes-and-responses";
import { blogRoutes } from "../layout/routes-and-responses";
import { redirectWithToast, type Toast } from "../layout/toasts";
import { type BlogVisit, blogPath } from "../layout/visit";
import { postName, stateOf } from "../posts/post-states-and-rows";
import { undoDeleting } from "../posts/trash-routes";
import { mergeTexts } from "./conflict-merge";
import { conflictNotice } from "./conflict-notice";
import { appendFiles, discardFiles } from "./editor-files";
import { type EditorState, writingMain } from "./editor-page";
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
  "GET /posts/new": (visit) => writingPage(visit, openNewPost(visit)),
  "GET /posts/:id": async (visit, id) => await writingPage(visit, await openPost(visit, id)),
  "POST /posts/new": (visit) => saveResponse(visit, null),
  "POST /posts/:id": saveResponse,
});

/** After these errors, the same form can be saved later. */
const TEMPORARY_ERRORS: RefusalKind[] = ["busy", "no room", "unwritable"];

function openNewPost(visitor: BlogVisit): EditorState {
  const { platen, url } = visitor.call;
  const newPost = url.searchParams.get("unsaved") ?? newSecret();
  const unsaved = findUnsaved(platen, placeOf(visitor, { id: null, newPost }));
  const { blog } = visitor;
  const fields = unsaved ? parseFields(unsaved.fields) : newFields(url.searchParams);
  return { post: null, newPost, fields: withUnofferedChannels(blog, fields, null), kept: unsaved?.stamps };
}

async function openPost(visitor: BlogVisit, id: number): Promise<EditorState> {
  const post = storedPost(visitor, id);
  const unsaved = findUnsaved(visitor.call.platen, placeOf(visitor, { id, newPost: "" }));
  if (!unsaved) return { post, fields: fieldsOf(post) };
  const fields = withUnofferedChannels(post.blog, parseFields(unsaved.fields), post);
  // The unsaved changes may have begun with an older version of the post.
  const isStale = unsaved.version !== versionOf(post);
  const conflict = { theirs: fieldsOf(post), mine: fields, isSaved: true };
  const notice = isStale ? await conflictNotice(visitor, conflict) : undefined;
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

async function writingPage(
  visitor: BlogVisit,
  shown: EditorState,
  response: Pick<AdminPage, "status" | "headers" | "toast"> = {},
): Promise<AdminPage> {
  const isMarkdown = shown.fields.contentType === "markdown";
  return {
    title: shown.post ? postName(shown.post) : `New ${shown.fields.type}`,
    main: await writingMain(visitor, shown),
    head: editorHead,
    scripts: [isMarkdown ? "markdown-editor" : "post-editor", "post-panel", "autosave"],
    later: isMarkdown ? [] : ["markdown-reader"],
    bodyClass: isMarkdown ? "is-writing in-markdown" : "is-writing",
    ...response,
  };
}

/** Scripts can't read the target of a redirect, so their response contains it as JSON. */
async function saveResponse(visitor: BlogVisit, id: number | null): Promise<AdminResult> {
  const { call } = visitor;
  const result = await save(visitor, await readSentPost(visitor, id));
  if (!("location" in result) || !wantsJson(call.request)) return result;
  const redirect = redirectWithToast(call, result.location, result.toast);
  const { location, ...headers } = Object.fromEntries(redirect.headers);
  return jsonResponse(200, { location }, headers);
}

interface Redirect {
  location: string;
  toast: Toast | string;
}

async function save(visitor: BlogVisit, sent: SentPost): Promise<AdminPage | Redirect> {
  const { call, blog } = visitor;
  const { id, action } = sent;
  let complete = sent;
  try {
    if (action === "delete" && id !== null)
      return remove(visitor, findPost(call.platen, visitor, id, blog.id));
    if (action === "discard") return discard(visitor, sent);
    if (action === "compare")
      return await writingPage(visitor, sentAgain(assertNoConflict(visitor, sent), sent));
    const content = await appendFiles(call.platen, blog, sent.fields.content, sent.files);
    complete = { ...sent, fields: { ...sent.fields, content } };
    if (id !== null && (action === "share" || action === "revoke")) return await share(visitor, id, complete);
    if (action === "join" || action === "continue") return await autosaveInstead(visitor, complete);
    if (id !== null && action === "duplicate") {
      const { post } = await duplicatePost(visitor, id, complete);
      return { location: blogPath(blog, `/posts/${post.id}`), toast: "Draft copy created." };
    }
    const { post, warnings } = await saveForm(visitor, complete);
    const shownWarnings = warnings.filter((warning) => !warning.startsWith("alt_text names"));
    const message = [describeSave(visitor, post, complete), ...shownWarnings].join(" ");
    const isLive = stateOf(post, call.platen.now()) === "live";
    const link = isLive ? { href: postUrl(call.platen, blog, post), words: `View ${post.type}` } : undefined;
    const published = action !== "save" && isLive ? publishedSheet(visitor, post) : undefined;
    return { location: blogPath(blog, `/posts/${post.id}`), toast: { message, link, published } };
  } catch (error) {
    return await rejectedResponse(visitor, complete, error);
  } finally {
    await discardFiles(sent.files);
  }
}

async function autosaveInstead(visitor: BlogVisit, sent: SentPost): Promise<Redirect> {
  const isJoined = sent.action === "join";
  if (isJoined) await mergeTexts(visitor, sent);
  else if (sent.fields.contentType === "markdown") await continueAsHtml(visitor, sent);
  const location = blogPath(visitor.blog, `/posts/${sent.id ?? `new?unsaved=${sent.newPost}`}`);
  const toast = isJoined
    ? "Merged, not saved yet."
    : "This is your Markdown as rich text. The rich text is not saved to the post yet. To get the Markdown back, choose Discard changes.";
  return { location, toast };
}

/** Does not save the form. */
async function share(visitor: BlogVisit, id: number, sent: SentPost): Promise<AdminPage> {
  const { call, blog } = visitor;
  const isShared = sent.action === "share";
  changePost(call.platen, visitor, findPost(call.platen, visitor, id, blog.id), { isShared });
  const post = storedPost(visitor, id);
  const isUnsaved =
    !changesNothing(blog, sent.fields, post) || findUnsaved(call.platen, placeOf(visitor, sent));
  const shown = isUnsaved ? sentAgain(post, sent) : { post, fields: fieldsOf(post) };
  // No toast for a new link, because the link gets the focus.
  const toast = isShared ? undefined : { message: "Share link revoked." };
  return await writingPage(visitor, { ...shown, isAtShareLink: true }, { toast });
}

function sentAgain(post: WholePost | null, { fields, newPost, stamps, version }: SentPost): EditorState {
  return { post, newPost, fields, version, kept: stamps.join(" "), isRejected: true };
}

async function rejectedResponse(visitor: BlogVisit, sent: SentPost, error: unknown): Promise<AdminPage> {
  if (error instanceof SaveConflict) return await conflictResponse(visitor, sent, error);
  const route = `/admin/blogs/:slug/posts/${sent.id === null ? "new" : ":id"}`;
  const refusal = toRefusal(visitor.call, "UNKNOWN", error, route);
  if (!refusal.fields && !TEMPORARY_ERRORS.includes(refusal.kind)) throw refusal;
  const shown = sentAgain(storedPost(visitor, sent.id), sent);
  if (refusal.fields) shown.errors = renamePublishField(refusal.fields);
  else shown.notice = html`<p class="wrong" role="alert">${refusal.message}</p>`;
  return await writingPage(visitor, shown, {
    status: ERROR_STATUS[refusal.kind],
    headers: errorHeaders(refusal),
  });
}

async function conflictResponse(
  visitor: BlogVisit,
  sent: SentPost,
  { post, unsaved }: SaveConflict,
): Promise<AdminPage> {
  const { fields: mine, choices } = sent;
  const theirs = unsaved || !post ? parseFields((unsaved as UnsavedPost).fields) : fieldsOf(post);
  const notice = await conflictNotice(visitor, { theirs, mine, isSaved: unsaved === null, choices });
  const version = unsaved && post ? sent.version : undefined;
  const shown = { ...sentAgain(post, sent), version, seen: unsaved?.stamps, notice };
  return await writingPage(visitor, shown, { status: 409 });
}

function renamePublishField({ published_at, ...errors }: FieldErrors): FieldErrors {
  return { ...errors, ...(published_at && { publish_at: published_at }) };
}

function discard(visitor: BlogVisit, sent: SentPost): Redirect {
  const { call, blog } = visitor;
  const { id, stamps } = sent;
  if (id !== null) findPost(call.platen, visitor, id, blog.id);
  const place = placeOf(visitor, sent);
  // A newer text from another form is kept.
  if (knowsStored(stamps, findUnsaved(call.platen, place))) settleUnsaved(call.platen, place, stamps);
  return { location: blogPath(blog, `/posts/${id ?? "new"}`), toast: "Discarded." };
}

function remove(visitor: BlogVisit, post: Post): Redirect {
  deletePost(visitor.call.platen, post);
  const location = blogPath(visitor.blog, post.type === "page" ? "/pages" : "/posts");
  const undo = undoDeleting(visitor.blog, [post], blogPath(visitor.blog, `/posts/${post.id}`));
  return { location, toast: { message: `“${postName(post)}” moved to the trash.`, undo } };
}
