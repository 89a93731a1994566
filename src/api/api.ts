import { Elysia } from "elysia";
import type { Refusal } from "../errors";
import { refusalHeaders, STATUS } from "../http/responses/error-responses";
import { type Answer, jsonAnswer } from "../http/responses/response";
import { methodNotAllowed } from "../http/routing/method-not-allowed";
import { door } from "../http/routing/router";
import type { Platen } from "../platen";
import { attachmentRoutes } from "./attachment-routes";
import { blogRoutes } from "./blog-routes";
import { crossOrigin } from "./cross-origin";
import { documentRoutes } from "./description/openapi-routes";
import { infoRoutes } from "./info-routes";
import { postRoutes } from "./post-routes";

/** The JSON API, version 1. Its errors are `{message, errors?}` (contract.md 4). */
export function api(platen: Platen) {
  const routes = new Elysia()
    .use(infoRoutes(platen))
    .use(blogRoutes(platen))
    .use(postRoutes(platen))
    .use(attachmentRoutes(platen));
  const served = new Elysia().use(documentRoutes(platen, routes)).group("/api/v1", (v1) => v1.use(routes));
  return door(platen, "api", refusalAnswer)
    .use(crossOrigin(platen))
    .use(served)
    .use(methodNotAllowed(platen, served, "/api"));
}

function refusalAnswer(refusal: Refusal): Answer {
  const body = { message: refusal.message, errors: refusal.fields };
  return jsonAnswer(STATUS[refusal.kind], body, refusalHeaders(refusal));
}
