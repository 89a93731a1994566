import { Elysia } from "elysia";
import { authorized } from "../access/authorized";
import { jsonAnswer, keptByClient } from "../http/answers/answer";
import { send } from "../http/answers/sending";
import type { Platen } from "../platen";
import { infoDetail } from "./description/route-descriptions";
import { presentInfo } from "./json/blog-json";

export const infoRoutes = (platen: Platen) =>
  new Elysia()
    .use(authorized(platen))
    .get(
      "/info",
      ({ call, caller }) => send(call, keptByClient(jsonAnswer(200, presentInfo(platen, caller)))),
      { detail: infoDetail },
    );
