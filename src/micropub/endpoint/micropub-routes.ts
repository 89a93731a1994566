import { malformed, notFound, type Refusal } from "../../errors";
import type { Call } from "../../http/requests/call";
import { oauthErrorResponse } from "../../http/responses/error-responses";
import { emptyResponse, type HttpResponse, withHeaders } from "../../http/responses/response";
import { sendResponse } from "../../http/responses/sending";
import { router } from "../../http/routing/router";
import type { Platen } from "../../platen";
import { KeySentTwice } from "../requests/request-body";
import { writePost } from "./actions";
import { answerMediaQuery, writeMedia } from "./media-endpoint";
import { notedAnswer, notedRefusal } from "./noting-app-requests";
import { answerQuery, queryAnswer } from "./queries";

/** For apps in a browser, of any origin: the key says what they may do, and no cookie is looked at. */
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

/** Micropub and its media endpoint. Bodies are read by the routes themselves: the form may hold the key. */
export const micropub = (platen: Platen) =>
  router(platen, "micropub", refusalAnswer)
    .get("/micropub", async ({ call }) => sendToApp(call, notedAnswer(call, await answerQuery(call))))
    .post("/micropub", async ({ call }) => sendToApp(call, notedAnswer(call, await writePost(call))), {
      parse: "none",
    })
    .get("/micropub/media", async ({ call }) =>
      sendToApp(call, notedAnswer(call, await queryAnswer(answerMediaQuery(call)))),
    )
    .post("/micropub/media", async ({ call }) => sendToApp(call, notedAnswer(call, await writeMedia(call))), {
      parse: "none",
    })
    .all("/micropub", ({ call }) => sendToApp(call, otherMethodAnswer(call)), { parse: "none" })
    .all("/micropub/media", ({ call }) => sendToApp(call, otherMethodAnswer(call)), { parse: "none" })
    .all(
      "/micropub/*",
      () => {
        throw notFound("address: there are /micropub and /micropub/media");
      },
      { parse: "none" },
    );

function sendToApp(call: Call, answer: HttpResponse): Response {
  return sendResponse(call, withHeaders(answer, CORS_HEADERS));
}

function otherMethodAnswer({ request: { method } }: Call): HttpResponse {
  if (method === "OPTIONS") return emptyResponse(PREFLIGHT_HEADERS);
  const refusal = oauthErrorResponse(
    malformed(`${method} does nothing here; this address takes ${METHODS}.`),
  );
  return { ...withHeaders(refusal, { allow: METHODS }), status: 405 };
}

function refusalAnswer(refusal: Refusal, call: Call): HttpResponse {
  // micropub.rocks (805) looks for these very words.
  const errorCode = refusal instanceof KeySentTwice ? "bad request" : undefined;
  return withHeaders(oauthErrorResponse(notedRefusal(call, refusal), errorCode), CORS_HEADERS);
}
