import { Elysia } from "elysia";
import { malformed, notFound, type Refusal } from "../../errors";
import { type Answer, emptyAnswer, jsonAnswer, send } from "../../http/answers/answer";
import { refusalOf } from "../../http/answers/error-answers";
import { oauthRefusal } from "../../http/answers/oauth-errors";
import { calls } from "../../http/requests/call";
import type { Platen } from "../../platen";
import { KeySentTwice } from "../requests/request-body";
import { write } from "./actions";
import { answerMediaQuery, writeMedia } from "./media-endpoint";
import { answerQuery } from "./queries";

/** Apps that run in a browser may come from anywhere: what they may do is the key's affair, and no cookie is looked at. */
const SHARED = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Location, Link",
};
const METHODS = "GET, HEAD, POST, OPTIONS";
const PREFLIGHT = {
  "access-control-allow-methods": METHODS,
  "access-control-allow-headers": "Authorization, Content-Type, Accept, X-Blog-ID",
  "access-control-max-age": "86400",
};

/** Micropub and its media endpoint. Bodies are read by the routes themselves: the form may hold the key. */
export const micropub = (platen: Platen) =>
  new Elysia({ name: "micropub" })
    .use(calls(platen))
    .onError((caught) => answer(refusalAnswer(refusalOf(caught))))
    .get("/micropub", ({ call }) => answer(told(answerQuery(call))))
    .post("/micropub", async ({ call }) => answer(await write(call)), { parse: "none" })
    .get("/micropub/media", ({ call }) => answer(told(answerMediaQuery(call))))
    .post("/micropub/media", async ({ call }) => answer(await writeMedia(call)), {
      parse: "none",
    })
    .all("/micropub", ({ request }) => answer(otherwise(request)), { parse: "none" })
    .all("/micropub/media", ({ request }) => answer(otherwise(request)), { parse: "none" })
    .all(
      "/micropub/*",
      () => {
        throw notFound("address: there are /micropub and /micropub/media");
      },
      { parse: "none" },
    );

function answer(prepared: Answer): Response {
  return send({ ...prepared, headers: { ...SHARED, ...prepared.headers } });
}

function told(body: unknown): Answer {
  return jsonAnswer(200, body, { "cache-control": "no-store" });
}

function otherwise({ method }: Request): Answer {
  if (method === "OPTIONS") return { ...emptyAnswer(), headers: PREFLIGHT };
  const refused = oauthRefusal(malformed(`${method} does nothing here; this address takes ${METHODS}.`));
  return { ...refused, status: 405, headers: { ...refused.headers, allow: METHODS } };
}

function refusalAnswer(refusal: Refusal): Answer {
  // micropub.rocks (805) looks for these very words.
  return oauthRefusal(refusal, refusal instanceof KeySentTwice ? "bad request" : undefined);
}
