import { forbidden, unauthorized } from "../errors";
import type { Call } from "../http/requests/call";
import { isFromThisMachine } from "../http/requests/client-address";
import { readHeader } from "../http/requests/headers";
import { textErrorResponse } from "../http/responses/error-responses";
import { CACHE_CONTROL, sendResponse, textResponse } from "../http/responses/response";
import { router } from "../http/routing/router";
import type { Platen } from "../platen";
import { isEqualSecret } from "../secrets";
import { metricsText } from "./metrics";

/** `/metrics` for this machine, or for anybody with PLATEN_METRICS_TOKEN as bearer token. */
export const metrics = (platen: Platen) =>
  router(platen, "metrics", textErrorResponse).get("/metrics", ({ call }) => {
    assertMonitor(call);
    return sendResponse(
      call,
      textResponse(200, metricsText(platen).trimEnd(), {
        "content-type": "text/plain; version=0.0.4; charset=utf-8",
        "cache-control": CACHE_CONTROL.noStore,
      }),
    );
  });

/** @throws Refusal: unauthorized, forbidden */
function assertMonitor(call: Call): void {
  const { metricsToken } = call.platen.config;
  const presented = readHeader(call.request, "authorization");
  if (presented !== null && metricsToken !== null && isEqualSecret(presented, `Bearer ${metricsToken}`))
    return;
  if (presented !== null) throw unauthorized("This is not the token of PLATEN_METRICS_TOKEN.");
  if (!isFromThisMachine(call))
    throw forbidden("Metrics need the token of PLATEN_METRICS_TOKEN, except from this machine.");
}
