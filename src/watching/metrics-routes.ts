import { forbidden, unauthorized } from "../errors";
import type { Call } from "../http/requests/call";
import { isFromThisMachine } from "../http/requests/client-address";
import { header } from "../http/requests/headers";
import { CACHING } from "../http/responses/cache-control";
import { textRefusal } from "../http/responses/error-responses";
import { textAnswer } from "../http/responses/response";
import { send } from "../http/responses/sending";
import { door } from "../http/routing/router";
import type { Platen } from "../platen";
import { isSame } from "../secrets";
import { metricsText } from "./metrics";

/** `/metrics` for monitors on this machine, or with PLATEN_METRICS_TOKEN as a bearer token from anywhere. */
export const metrics = (platen: Platen) =>
  door(platen, "metrics", textRefusal).get("/metrics", ({ call }) => {
    demandMonitor(call);
    return send(
      call,
      textAnswer(200, metricsText(platen).trimEnd(), {
        "content-type": "text/plain; version=0.0.4; charset=utf-8",
        "cache-control": CACHING.nowhere,
      }),
    );
  });

/** @throws Refusal: unauthorized, forbidden */
function demandMonitor(call: Call): void {
  const { metricsToken } = call.platen.config;
  const presented = header(call.request, "authorization");
  if (presented !== null && metricsToken !== null && isSame(presented, `Bearer ${metricsToken}`)) return;
  if (presented !== null) throw unauthorized("This is not the token of PLATEN_METRICS_TOKEN.");
  if (!isFromThisMachine(call))
    throw forbidden(
      "Metrics are for this machine alone, or for who sends the token of PLATEN_METRICS_TOKEN.",
    );
}
