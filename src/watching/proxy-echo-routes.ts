import { jsonAnswer } from "../http/answers/answer";
import { CACHING } from "../http/answers/caching";
import { textRefusal } from "../http/answers/error-answers";
import { send } from "../http/answers/sending";
import { door } from "../http/doors/door";
import { clientAddress, requestBase } from "../http/requests/client-address";
import type { Platen } from "../platen";
import { REQUEST_WAY } from "../upkeep/doctor/address-findings";

/** How a request came here, told to whoever sent it: by that `platen doctor` sees what a proxy passes on. */
export const requestWay = (platen: Platen) =>
  door(platen, "request way", textRefusal).get(REQUEST_WAY, ({ call }) => {
    const { protocol, host } = requestBase(call);
    const way = { base: `${protocol}//${host}`, client: clientAddress(call) };
    return send(call, jsonAnswer(200, way, { "cache-control": CACHING.nowhere }));
  });
