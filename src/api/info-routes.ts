import { Elysia } from "elysia";
import { authorized } from "../access/authentication";
import { jsonResponse } from "../http/responses/response";
import type { Platen } from "../platen";
import { sendCachedRead } from "./cached-reads";
import { infoDetail } from "./description/route-descriptions";
import { presentInfo } from "./json/info-json";

export const infoRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/info",
      ({ call, caller }) =>
        sendCachedRead(call, caller, () => jsonResponse(200, presentInfo(platen, caller))),
      {
        detail: infoDetail,
      },
    );
