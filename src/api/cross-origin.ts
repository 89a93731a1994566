import { Elysia } from "elysia";
import { calls } from "../http/requests/call";
import { readHeader } from "../http/requests/headers";
import { emptyResponse, sendResponse } from "../http/responses/response";
import type { Platen } from "../platen";

/** Safe for any origin: requests are authorized by key, never by cookie. */
export const CORS_RESPONSE_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "Location, ETag, Retry-After",
};
const PREFLIGHT = {
  "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
  "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match",
  "access-control-max-age": "86400",
};

/** Applies to all responses of the app that uses this plugin, errors included (WHATWG Fetch). */
export const crossOrigin = (platen: Platen) =>
  new Elysia({ name: "cross origin" })
    .use(calls(platen))
    .mapResponse({ as: "scoped" }, ({ response }) => {
      if (!(response instanceof Response)) return;
      for (const [name, value] of Object.entries(CORS_RESPONSE_HEADERS)) response.headers.set(name, value);
    })
    .onBeforeHandle({ as: "scoped" }, ({ call }) => {
      const { request } = call;
      if (request.method === "OPTIONS" && readHeader(request, "access-control-request-method") !== null)
        return sendResponse(call, emptyResponse(PREFLIGHT));
    });
