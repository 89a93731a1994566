import { Elysia } from "elysia";
import type { Refusal } from "../../errors";
import type { Platen } from "../../platen";
import { type Call, calls } from "../requests/call";
import type { Asset } from "../responses/assets";
import { textErrorResponse, toRefusal } from "../responses/error-responses";
import { type HttpResponse, sendResponse } from "../responses/response";

/**
 * An Elysia app whose handlers have a `call`.
 * @param toResponse words errors for this adapter
 */
export const router = (
  platen: Platen,
  name: string,
  toResponse: (refusal: Refusal, call: Call) => HttpResponse | Promise<HttpResponse>,
) =>
  new Elysia({ name })
    .use(calls(platen))
    .onError(async ({ call, code, error, route }) =>
      sendResponse(call, await toResponse(toRefusal(call, code, error, route), call)),
    );

export const assetRoute = (platen: Platen, asset: Asset) =>
  router(platen, asset.path, textErrorResponse).get(asset.path, ({ call }) =>
    sendResponse(call, asset.responseFor(asset.path)),
  );
