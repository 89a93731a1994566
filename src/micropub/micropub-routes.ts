import { originOf } from "../access/authentication";
import { requireScope } from "../access/scopes";
import { type Caller, findKeyByText } from "../accounts/api-keys";
import { recordAppAttempt, WORKED } from "../accounts/app-attempts";
import { type Blog, blogOfRow } from "../blogs/blogs";
import { inSharedTransaction, inTransaction } from "../database/transactions";
import { invalid, malformed, notFound, type Refusal } from "../errors";
import type { Call } from "../http/requests/call";
import { oauthErrorResponse } from "../http/responses/error-responses";
import { emptyResponse, type HttpResponse, sendResponse, withHeaders } from "../http/responses/response";
import { unparsedRouter } from "../http/router";
import { discardUpload } from "../media/uploads";
import type { Platen } from "../platen";
import { deletedPostAtUrl, postAtUrl } from "../posts/reading/finding-posts";
import { deletePost, undeletePost } from "../posts/trash";
import { answerMediaQuery, handleMediaPost, uploadMedia } from "./micropub-media";
import { type Action, parseAction } from "./parsing-actions";
import { answerQuery } from "./queries";
import { type MicropubRequest, namedBlog, readRequest, submittedKey } from "./reading-requests";
import { createdResponse, createPost, updatePost } from "./saving-posts";

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
    .all("/micropub", otherMethod)
    .all("/micropub/media", otherMethod)
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

function otherMethod({ call }: { call: Call }): Response {
  const { method } = call.request;
  if (method === "OPTIONS") return sendToApp(call, emptyResponse(PREFLIGHT_HEADERS));
  const refusal = oauthErrorResponse(malformed(`${method} is not allowed here. Allowed: ${METHODS}.`));
  return sendToApp(call, { ...withHeaders(refusal, { allow: METHODS }), status: 405 });
}

function micropubErrorResponse(refusal: Refusal, call: Call): HttpResponse {
  if (refusal.kind !== "long header" && refusal.kind !== "long address") recordAppRequest(call, refusal);
  return withHeaders(oauthErrorResponse(withPropertyNames(refusal)), CORS_HEADERS);
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

async function perform(call: Call, request: MicropubRequest, action: Action): Promise<HttpResponse> {
  const { platen } = call;
  const { caller } = request;
  requireScope(caller, `POST /micropub action=${action.action}`);
  if (action.action === "create") return await createPost(call, request, action);
  const blog = namedBlog(call, caller, action.commands);
  if (action.action === "update") return await updatePost(platen, caller, blog, action);
  if (action.action === "undelete") return await undelete(platen, caller, blog, action.url);
  inTransaction(platen, () => deletePost(platen, postAtUrl(platen, caller, action.url, blog?.id)));
  return emptyResponse();
}

/** Succeeds if the post exists, even outside the trash. */
function undelete(platen: Platen, caller: Caller, named: Blog | undefined, url: string) {
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

/** @param refusal null after a success */
function recordAppRequest(call: Call, refusal: Refusal | null): void {
  const { platen } = call;
  const key = keyIfReadable(call);
  recordAppAttempt(platen, key?.accountId ?? null, {
    app: key?.name || originOf(call).lastUsedBy || "Unknown app",
    clientId: null,
    action: describeRequest(call),
    outcome: refusal?.message ?? WORKED,
    isSuccess: refusal === null,
  });
}

/** A database error must not change the response that is being sent. */
function keyIfReadable(call: Call) {
  try {
    return findKeyByText(call.platen, submittedKey(call) ?? "");
  } catch {
    return undefined;
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
