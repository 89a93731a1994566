import { clientAddress, requestBase } from "../http/requests/client-address";
import { CACHING } from "../http/responses/cache-control";
import { textRefusal } from "../http/responses/error-responses";
import { jsonAnswer } from "../http/responses/response";
import { send } from "../http/responses/sending";
import { door } from "../http/routing/router";
import type { Platen } from "../platen";
import { REQUEST_WAY } from "../upkeep/doctor/address-findings";

/** How a request came here, told to whoever sent it: by that `platen doctor` sees what a proxy passes on. */
export const requestWay = (platen: Platen) =>
  door(platen, "request way", textRefusal).get(REQUEST_WAY, ({ call }) => {
    const { protocol, host } = requestBase(call);
    const way = { base: `${protocol}//${host}`, client: clientAddress(call) };
    return send(call, jsonAnswer(200, way, { "cache-control": CACHING.nowhere }));
  });
