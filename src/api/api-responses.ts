import { Elysia } from "elysia";
import { type Caller, recordKeyUse } from "../accounts/api-keys";
import { type Call, calls } from "../http/requests/call";
import { readHeader } from "../http/requests/headers";
import { authorizedCacheKey, responseCache } from "../http/response-cache";
import type { Bytes, HttpResponse } from "../http/responses/response";
import { emptyResponse, revalidatedByClient, sendResponse, withHeaders } from "../http/responses/response";
import type { Platen } from "../platen";

type ReadResponse = HttpResponse<string | Bytes>;
type Read = () => ReadResponse | Promise<ReadResponse>;

/** Responds from the response cache, at most until the key expires. */
export async function sendCachedRead(call: Call, caller: Caller, read: Read): Promise<Response> {
  const { platen, request } = call;
  const onSent = () => recordKeyUse(platen, caller.key.id, () => null);
  const make = async () => {
    const response = withHeaders(revalidatedByClient(await read()), CORS_RESPONSE_HEADERS);
    return { ...response, onSent };
  };
  const until = caller.key.expiresAt?.getTime();
  return sendResponse(call, await responseCache(platen).getOrMake(authorizedCacheKey(request), make, until));
}

/** Safe for any origin: requests are authorized by key, never by cookie. */
const CORS_RESPONSE_HEADERS = {
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
      if (response instanceof Response) withHeaders(response, CORS_RESPONSE_HEADERS);
    })
    .onBeforeHandle({ as: "scoped" }, ({ call }) => {
      const { request } = call;
      if (request.method === "OPTIONS" && readHeader(request, "access-control-request-method") !== null)
        return sendResponse(call, emptyResponse(PREFLIGHT));
    });
