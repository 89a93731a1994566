import { Elysia } from "elysia";
import { jsonAnswer } from "../http/answers/answer";
import { CACHING } from "../http/answers/caching";
import { refusalOf, textRefusal } from "../http/answers/error-answers";
import { send } from "../http/answers/sending";
import { calls } from "../http/requests/call";
import { clientAddress, requestBase } from "../http/requests/client-address";
import type { Platen } from "../platen";
import { REQUEST_WAY } from "../upkeep/doctor/address-findings";

/** How a request came here, told to whoever sent it: by that `platen doctor` sees what a proxy passes on. */
export const requestWay = (platen: Platen) =>
  new Elysia()
    .use(calls(platen))
    .onError(({ call, code, error, route }) => send(call, textRefusal(refusalOf(call, code, error, route))))
    .get(REQUEST_WAY, ({ call }) => {
      const { protocol, host } = requestBase(call);
      const way = { base: `${protocol}//${host}`, client: clientAddress(call) };
      return send(call, jsonAnswer(200, way, { "cache-control": CACHING.nowhere }));
    });
