import { Elysia } from "elysia";
import { authorized } from "../access/authentication";
import { jsonResponse } from "../http/responses/response";
import type { Platen } from "../platen";
import { infoDetail } from "./description/route-descriptions";
import { presentInfo } from "./json/info-json";
import { sendReading } from "./reads-from-memory";

export const infoRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/info",
      ({ call, caller }) => sendReading(call, caller, () => jsonResponse(200, presentInfo(platen, caller))),
      {
        detail: infoDetail,
      },
    );
