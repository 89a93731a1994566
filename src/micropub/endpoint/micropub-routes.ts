import { originOf } from "../../access/authentication";
import { recordAppAttempt, WORKED } from "../../accounts/app-attempts";
import { findKeyByText } from "../../accounts/keys";
import { malformed, notFound, type Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { oauthErrorResponse } from "../../http/responses/error-responses";
import { emptyResponse, type HttpResponse, sendResponse, withHeaders } from "../../http/responses/response";
import { router } from "../../http/routing/router";
import type { Platen } from "../../platen";
import { KeySentTwice, submittedKey } from "../requests/request-body";
import { handlePost } from "./actions";
import { answerMediaQuery, handleMediaPost } from "./media-endpoint";
import { answerQuery, queryAnswer } from "./queries";

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

/** Micropub and its media endpoint. The handlers read the bodies, because the form may contain the key. */
export const micropub = (platen: Platen) =>
  router(platen, "micropub", micropubErrorResponse)
    .get("/micropub", async ({ call }) => sendToApp(call, recordSuccess(call, await answerQuery(call))))
    .post("/micropub", async ({ call }) => sendToApp(call, recordSuccess(call, await handlePost(call))), {
      parse: "none",
    })
    .get("/micropub/media", async ({ call }) =>
      sendToApp(call, recordSuccess(call, await queryAnswer(answerMediaQuery(call)))),
    )
    .post(
      "/micropub/media",
      async ({ call }) => sendToApp(call, recordSuccess(call, await handleMediaPost(call))),
      {
        parse: "none",
      },
    )
    .all("/micropub", ({ call }) => sendToApp(call, otherMethodAnswer(call)), { parse: "none" })
    .all("/micropub/media", ({ call }) => sendToApp(call, otherMethodAnswer(call)), { parse: "none" })
    .all(
      "/micropub/*",
      () => {
        throw notFound("address. Use /micropub or /micropub/media");
      },
      { parse: "none" },
    );

function sendToApp(call: Call, answer: HttpResponse): Response {
  return sendResponse(call, withHeaders(answer, CORS_HEADERS));
}

function otherMethodAnswer({ request: { method } }: Call): HttpResponse {
  if (method === "OPTIONS") return emptyResponse(PREFLIGHT_HEADERS);
  const refusal = oauthErrorResponse(malformed(`${method} is not allowed here. Allowed: ${METHODS}.`));
  return { ...withHeaders(refusal, { allow: METHODS }), status: 405 };
}

function micropubErrorResponse(refusal: Refusal, call: Call): HttpResponse {
  // micropub.rocks (805) expects this code.
  const errorCode = refusal instanceof KeySentTwice ? "bad request" : undefined;
  return withHeaders(oauthErrorResponse(recordRefusal(call, refusal), errorCode), CORS_HEADERS);
}

/** Shows the app's successful request to the owner. */
export function recordSuccess(call: Call, answer: HttpResponse): HttpResponse {
  recordAppRequest(call, null);
  return answer;
}

/** Shows the app's failed request to the owner. */
function recordRefusal(call: Call, refusal: Refusal): Refusal {
  if (refusal.kind !== "long header" && refusal.kind !== "long address") recordAppRequest(call, refusal);
  return refusal;
}

function recordAppRequest(call: Call, refusal: Refusal | null): void {
  const { platen } = call;
  const key = keyIfReadable(call);
  recordAppAttempt(platen, key?.accountId ?? null, {
    app: key?.name || originOf(call).by || "Unknown app",
    asked: describeRequest(call),
    outcome: refusal?.message ?? WORKED,
    isGood: refusal === null,
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
