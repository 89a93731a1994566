import { Elysia } from "elysia";
import type { Refusal } from "../errors";
import { ERROR_STATUS, errorHeaders } from "../http/responses/error-responses";
import { jsonResponse } from "../http/responses/response";
import { methodNotAllowed, router } from "../http/router";
import type { Platen } from "../platen";
import { crossOrigin } from "./api-responses";
import { attachmentRoutes } from "./attachment-routes";
import { blogRoutes } from "./blog-routes";
import { readerRoutes } from "./komment-and-follower-routes";
import { documentRoutes } from "./openapi-and-docs-routes";
import { postRoutes } from "./post-routes";
import { reachRoutes } from "./reach-and-delivery-routes";
import { subscriberRoutes } from "./subscriber-routes";

export function api(platen: Platen) {
  const routes = new Elysia()
    .use(blogRoutes(platen))
    .use(postRoutes(platen))
    .use(attachmentRoutes(platen))
    .use(reachRoutes(platen))
    .use(readerRoutes(platen))
    .use(subscriberRoutes(platen));
  const served = new Elysia().use(documentRoutes(platen, routes)).group("/api/v1", (v1) => v1.use(routes));
  return router(platen, "api", apiErrorResponse)
    .use(crossOrigin(platen))
    .use(served)
    .use(methodNotAllowed(platen, served, "/api"));
}

function apiErrorResponse(refusal: Refusal) {
  const body = { message: refusal.message, errors: refusal.fields };
  return jsonResponse(ERROR_STATUS[refusal.kind], body, errorHeaders(refusal));
}
