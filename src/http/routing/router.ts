import { Elysia } from "elysia";
import type { Refusal } from "../../errors";
import type { Platen } from "../../platen";
import { type Call, calls } from "../requests/call";
import { refusalOf } from "../responses/error-responses";
import type { Answer } from "../responses/response";
import { send } from "../responses/sending";

/**
 * What a door, or a room of one, adds its routes to: every handler has its `call`.
 * @param refused tells what is refused in the door's own way
 */
export const door = (
  platen: Platen,
  name: string,
  refused: (refusal: Refusal, call: Call) => Answer | Promise<Answer>,
) =>
  new Elysia({ name })
    .use(calls(platen))
    .onError(async ({ call, code, error, route }) =>
      send(call, await refused(refusalOf(call, code, error, route), call)),
    );
