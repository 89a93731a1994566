import { clientAddress, requestBase } from "../http/requests/client-address";
import { textErrorResponse } from "../http/responses/error-responses";
import { CACHE_CONTROL, jsonResponse, sendResponse } from "../http/responses/response";
import { router } from "../http/routing/router";
import type { Platen } from "../platen";
import { PROXY_ECHO_PATH } from "../upkeep/doctor/address-findings";

/** Returns the base URL and client address of the request. `platen doctor` checks the proxy with it. */
export const proxyEcho = (platen: Platen) =>
  router(platen, "request way", textErrorResponse).get(PROXY_ECHO_PATH, ({ call }) => {
    const { protocol, host } = requestBase(call);
    const way = { base: `${protocol}//${host}`, client: clientAddress(call) };
    return sendResponse(call, jsonResponse(200, way, { "cache-control": CACHE_CONTROL.noStore }));
  });
