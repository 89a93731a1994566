import { callerOf, originOf } from "../../access/authentication";
import { requireScope } from "../../access/scopes";
import { recordAppAttempt, WORKED } from "../../accounts/app-attempts";
import { type Caller, findKeyByText } from "../../accounts/keys";
import { type Blog, blogOfRow } from "../../blogs/blogs";
import { inSharedTransaction, inTransaction } from "../../database/transactions";
import { conflict, invalid, malformed, notFound, type Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { oauthErrorResponse } from "../../http/responses/error-responses";
import {
  emptyResponse,
  type HttpResponse,
  jsonResponse,
  sendResponse,
  withHeaders,
} from "../../http/responses/response";
import { unparsedRouter } from "../../http/routing/router";
import { attachmentSnippet, blobAtUrl } from "../../media/attachment-element";
import { recentBlobs, type StoredBlob } from "../../media/files/blobs";
import { checkCaption } from "../../media/files/filenames";
import { mediaPath } from "../../media/files/media-urls";
import { makeThumbnailLater } from "../../media/images/renditions";
import { discardUpload, storeUpload } from "../../media/uploads";
import type { Platen } from "../../platen";
import { deleteUnused } from "../../posts/media-library/unused-files";
import { assertAccess, deletedPostAtUrl, postAtUrl } from "../../posts/reading/finding-posts";
import { deletePost, undeletePost } from "../../posts/trash/deleting-and-restoring";
import { isObject } from "../../text/json";
import { namedBlog, targetBlogOf } from "../requests/destination";
import { type Action, type FormField, parseAction, propertyLists } from "../requests/parsed-request";
import { KeySentTwice, type MicropubRequest, readRequest, submittedKey } from "../requests/request-body";
import { createdResponse, createPost, updatePost } from "../writing/saving-posts";
import { answerQuery, parsePaging, queryAnswer } from "./queries";

/** Safe for any origin: requests are authorized by key, never by cookie. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Location, Link",
};
const METHODS = "GET, HEAD, POST, OPTIONS";
const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": METHODS,
  "access-control-allow-headers": "Authorization, Content-Type, Accept, X-Blog-ID",
  "access-control-max-age": "86400",
};

/** The handlers read the bodies, because a form may contain the API key. */
export const micropub = (platen: Platen) =>
  unparsedRouter(platen, "micropub", micropubErrorResponse)
    .get("/micropub", forApp(answerQuery))
    .post("/micropub", forApp(handlePost))
    .get("/micropub/media", forApp(answerMediaQuery))
    .post("/micropub/media", forApp(handleMediaPost))
    .all("/micropub", ({ call }) => sendToApp(call, otherMethodAnswer(call)))
    .all("/micropub/media", ({ call }) => sendToApp(call, otherMethodAnswer(call)))
    .all("/micropub/*", () => {
      throw notFound("address. Use /micropub or /micropub/media");
    });

function forApp(respond: (call: Call) => HttpResponse | Promise<HttpResponse>) {
  return async ({ call }: { call: Call }) => {
    const response = await respond(call);
    recordAppRequest(call, null);
    return sendToApp(call, response);
  };
}

function sendToApp(call: Call, response: HttpResponse): Response {
  return sendResponse(call, withHeaders(response, CORS_HEADERS));
}

function otherMethodAnswer({ request: { method } }: Call): HttpResponse {
  if (method === "OPTIONS") return emptyResponse(PREFLIGHT_HEADERS);
  const refusal = oauthErrorResponse(malformed(`${method} is not allowed here. Allowed: ${METHODS}.`));
  return { ...withHeaders(refusal, { allow: METHODS }), status: 405 };
}

function micropubErrorResponse(refusal: Refusal, call: Call): HttpResponse {
  // Test 805 of micropub.rocks expects this code.
  const errorCode = refusal instanceof KeySentTwice ? "bad request" : undefined;
  if (refusal.kind !== "long header" && refusal.kind !== "long address") recordAppRequest(call, refusal);
  return withHeaders(oauthErrorResponse(withPropertyNames(refusal), errorCode), CORS_HEADERS);
}

/** Field of a post → the property that an app sent. */
const PROPERTY_NAMES = new Map([
  ["title", "name"],
  ["tags", "category"],
  ["alt_text", "mp-photo-alt"],
]);

function withPropertyNames(refusal: Refusal): Refusal {
  const errors = Object.entries(refusal.fields ?? {});
  if (!errors.some(([field]) => PROPERTY_NAMES.has(field))) return refusal;
  return invalid(
    Object.fromEntries(errors.map(([field, rules]) => [PROPERTY_NAMES.get(field) ?? field, rules])),
  );
}

/** Records the request for the owner. @param refusal null after a success */
function recordAppRequest(call: Call, refusal: Refusal | null): void {
  const { platen } = call;
  const key = keyIfReadable(call);
  recordAppAttempt(platen, key?.accountId ?? null, {
    app: key?.name || originOf(call).by || "Unknown app",
    action: describeRequest(call),
    outcome: refusal?.message ?? WORKED,
    isSuccess: refusal === null,
  });
}

/** A database error must not change the response that is being sent. */
function keyIfReadable(call: Call): ReturnType<typeof findKeyByText> {
  try {
    return findKeyByText(call.platen, submittedKey(call) ?? "");
  } catch {
    return null;
  }
}

function describeRequest({ request, url: { pathname, searchParams } }: Call): string {
  const isMedia = pathname.endsWith("/media");
  if (request.method === "POST") return isMedia ? "upload a file" : "write, change or delete a post";
  const query = searchParams.get("q") ?? "";
  const what = { config: "what it can do here", category: "your categories" }[query];
  if (query === "source") return isMedia ? "read which files there are" : "read posts";
  return `know ${what ?? `“${query}”`}`;
}

async function handlePost(call: Call): Promise<HttpResponse> {
  const request = await readRequest(call);
  try {
    if (isPlainUpload(request)) return await uploadMedia(call, request);
    return await perform(call, request, parseAction(request.sent));
  } finally {
    for (const file of request.files) await discardUpload(file);
  }
}

/** obsidian-micropub uploads files to the main endpoint: one file and no other field. */
function isPlainUpload({ sent, files }: MicropubRequest): boolean {
  return files.length === 1 && "form" in sent && sent.form.length === 0;
}

function perform(call: Call, request: MicropubRequest, action: Action): HttpResponse | Promise<HttpResponse> {
  const { platen } = call;
  const { caller } = request;
  requireScope(caller, `POST /micropub action=${action.action}`);
  if (action.action === "create") return createPost(call, request, action);
  const blog = namedBlog(call, caller, action.commands);
  if (action.action === "update") return updatePost(platen, caller, blog, action);
  if (action.action === "delete") return removePost(platen, caller, blog, action.url);
  return undelete(platen, caller, blog, action.url);
}

function removePost(platen: Platen, caller: Caller, blog: Blog | undefined, url: string): HttpResponse {
  inTransaction(platen, () => deletePost(platen, postAtUrl(platen, caller, url, blog?.id)));
  return emptyResponse();
}

/** Succeeds also if the post is not in the trash. */
function undelete(
  platen: Platen,
  caller: Caller,
  named: Blog | undefined,
  url: string,
): Promise<HttpResponse> {
  return inSharedTransaction(platen, () => {
    const deleted = deletedPostAtUrl(platen, caller, url);
    if (!deleted) {
      postAtUrl(platen, caller, url, named?.id);
      return emptyResponse();
    }
    if (named && named.id !== deleted.blogId) throw notFound("post in this blog");
    const post = undeletePost(platen, blogOfRow(platen, deleted), deleted);
    return post.slug === deleted.slug ? emptyResponse() : createdResponse(platen, post, []);
  });
}

const CAPTION_FIELDS = ["description", "alt", "caption", "mp-photo-alt"];

async function handleMediaPost(call: Call): Promise<HttpResponse> {
  const request = await readRequest(call);
  try {
    const isUpload = request.files.length > 0 || !namesAction(request);
    return isUpload ? await uploadMedia(call, request) : await removeMedia(call.platen, request);
  } finally {
    for (const file of request.files) await discardUpload(file);
  }
}

function namesAction({ sent }: MicropubRequest): boolean {
  if ("form" in sent) return sent.form.some(([name]) => name === "action");
  return isObject(sent.json) && "action" in sent.json;
}

async function uploadMedia(call: Call, { caller, sent, files }: MicropubRequest): Promise<HttpResponse> {
  const { platen } = call;
  requireScope(caller, "POST /micropub/media");
  const fields = "form" in sent ? sent.form : [];
  const blog = targetBlogOf(call, caller, propertyLists(fields));
  const caption = captionFromForm(fields);
  const [file, ...more] = files;
  if (!file || more.length > 0)
    throw malformed("Send multipart/form-data with one file, in the field file.", {
      file: ["must be one file"],
    });
  const blob = await storeUpload(platen, blog, file, { caption });
  makeThumbnailLater(platen, blob);
  const url = platen.config.url + mediaPath(blob);
  const { filename, mediaType } = blob;
  const body = { url, html: attachmentSnippet(platen, blob), filename, media_type: mediaType };
  return jsonResponse(201, body, { location: url });
}

function captionFromForm(fields: FormField[]): string {
  const captionField = fields.find(
    ([name, value]) => CAPTION_FIELDS.includes(name.replace(/\[\]$/, "")) && value.trim() !== "",
  );
  return checkCaption(captionField?.[1] ?? "");
}

async function removeMedia(platen: Platen, { caller, sent }: MicropubRequest): Promise<HttpResponse> {
  requireScope(caller, "POST /micropub/media action=delete");
  const action = parseAction(sent);
  if (action.action !== "delete") throw malformed("Files only support action=delete.");
  const blob = ownBlobAt(platen, caller, action.url);
  const deleted = await deleteUnused(platen, [blob]);
  if (deleted.length === 0)
    throw conflict(
      "The file is used by a post, a revision, a header, a footer or custom CSS. Remove it there first.",
    );
  return emptyResponse();
}

function answerMediaQuery(call: Call): HttpResponse {
  const { platen } = call;
  const params = call.url.searchParams;
  const caller = callerOf(call);
  const query = params.get("q") ?? "source";
  if (query !== "source" && query !== "last") throw malformed("q must be source or last.");
  requireScope(caller, `GET /micropub/media?q=${query}`);
  const url = params.get("url");
  if (query === "source" && url !== null) return queryAnswer(present(platen, ownBlobAt(platen, caller, url)));
  const blog = targetBlogOf(call, caller);
  if (query === "last") {
    const [last] = recentBlobs(platen, blog.id, { limit: 1, offset: 0 });
    return queryAnswer(last ? present(platen, last) : {});
  }
  const filename = params.get("filter") ?? undefined;
  const files = recentBlobs(platen, blog.id, { ...parsePaging(params), filename });
  return queryAnswer({ items: files.map((blob) => present(platen, blob)) });
}

function present(platen: Platen, blob: StoredBlob) {
  return {
    url: platen.config.url + mediaPath(blob),
    published: blob.createdAt.toISOString(),
    filename: blob.filename,
    media_type: blob.mediaType,
    mime_type: blob.contentType,
    html: attachmentSnippet(platen, blob),
    alt: blob.caption || undefined,
    width: blob.width ?? undefined,
    height: blob.height ?? undefined,
  };
}

function ownBlobAt(platen: Platen, caller: Caller, address: string): StoredBlob {
  const blob = blobAtUrl(platen, address.trim());
  if (!blob) throw notFound("file");
  assertAccess(caller, blogOfRow(platen, blob), "file");
  return blob;
}
