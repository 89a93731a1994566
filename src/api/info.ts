import { Elysia } from "elysia";
import { authorized } from "../access/authorized";
import { jsonAnswer, sendFresh } from "../http/answers/answer";
import type { Platen } from "../platen";
import { presentInfo } from "./presenters";
import { infoDetail } from "./route-descriptions";

export const infoRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get("/info", ({ request, caller }) => sendFresh(request, jsonAnswer(200, presentInfo(platen, caller))), {
      detail: infoDetail,
    });
