import { Elysia } from "elysia";
import { blogAtAddress } from "../../blogs/blog-addresses";
import { type Call, calls } from "../../http/requests/call";
import { clientAddress, networkName, requestHost } from "../../http/requests/client-address";
import { throttle, throttleClient } from "../../http/requests/rate-limits";
import { readForm } from "../../http/requests/request-body";
import { textErrorResponse, toRefusal } from "../../http/responses/error-responses";
import { type HttpResponse, sendResponse, textResponse } from "../../http/responses/response";
import { MAX_URL_LENGTH } from "../../mentions/mention-and-endpoint-parsing";
import { hasWebmentions } from "../../mentions/mention-settings";
import { MENTION_LIMITS, receiveMention } from "../../mentions/received-mentions";
import type { Platen } from "../../platen";

/** Handles only POST, so that a post may have the slug "webmention". */
export const webmentions = (platen: Platen) =>
  new Elysia({ name: "webmentions" })
    .use(calls(platen))
    .post("/webmention", async ({ call }) => sendResponse(call, await respond(call)), { parse: "none" })
    .post("/:at/webmention", async ({ call }) => sendResponse(call, await respond(call)), { parse: "none" });

async function respond(call: Call): Promise<HttpResponse> {
  const { platen, request } = call;
  try {
    const place = blogAtAddress(platen, requestHost(call), call.url.pathname);
    if (place?.path !== "/webmention" || !hasWebmentions(place.blog))
      return textResponse(404, "There is no such page.");
    throttleClient(call, MENTION_LIMITS.client);
    const form = await readForm(request, { source: MAX_URL_LENGTH, target: MAX_URL_LENGTH });
    const source = form.get("source") ?? "";
    const host = URL.parse(source)?.host;
    if (host) throttle(platen, MENTION_LIMITS.site, host);
    const network = networkName(clientAddress(call));
    receiveMention(platen, place.blog, { source, target: form.get("target") ?? "", network });
    return textResponse(202, "Accepted. The link will be checked soon.");
  } catch (error) {
    return textErrorResponse(toRefusal(call, "UNKNOWN", error, "a webmention"));
  }
}
