import { Elysia } from "elysia";
import { malformed, notFound } from "../../errors";
import { type Answer, emptyAnswer, jsonAnswer, send } from "../../http/answers/answer";
import { refusalOf } from "../../http/answers/error-answers";
import { oauthRefusal } from "../../http/answers/oauth-errors";
import { addressAsked } from "../../http/requests/client-address";
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
    .onError(({ code, error, request }) => answer(faultAnswer(platen, code, error, request)))
    .get("/micropub", ({ request }) => answer(told(answerQuery(platen, request))))
    .post("/micropub", async ({ request }) => answer(await write(platen, request)), { parse: "none" })
    .get("/micropub/media", ({ request }) => answer(told(answerMediaQuery(platen, request))))
    .post("/micropub/media", async ({ request }) => answer(await writeMedia(platen, request)), {
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

function faultAnswer(platen: Platen, code: string | number, error: unknown, request: Request): Answer {
  const refusal = refusalOf(code, error);
  // micropub.rocks (805) looks for these very words.
  if (refusal instanceof KeySentTwice) return oauthRefusal(refusal, "bad request");
  if (refusal) return oauthRefusal(refusal);
  platen.log(
    `${request.method} ${addressAsked(request).pathname} failed: ${error instanceof Error ? error.stack : error}`,
  );
  const description = "Platen failed to do this; its log says why.";
  return jsonAnswer(500, { error: "server_error", error_description: description });
}
