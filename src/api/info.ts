import { Elysia } from "elysia";
import { jsonAnswer, sendFresh } from "../http/answers";
import { authorized } from "../http/authorized";
import type { Platen } from "../platen";
import { infoDetail } from "./answers";
import { presentInfo } from "./presenters";

export const infoRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get("/info", ({ request, caller }) => sendFresh(request, jsonAnswer(200, presentInfo(platen, caller))), {
      detail: infoDetail,
    });
