import { Refusal, type RefusalKind } from "../../errors";
import type { Call } from "../../http/requests/call";
import { oauthErrorResponse } from "../../http/responses/error-responses";
import {
  CACHE_CONTROL,
  emptyResponse,
  type HttpResponse,
  sendResponse,
  withHeaders,
} from "../../http/responses/response";

/** Apps may run in a browser. Any origin may read the responses, because these routes ignore cookies. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "Authorization, Content-Type",
  "access-control-max-age": "86400",
};

/** A rejection with an OAuth error code. */
class OAuthRefusal extends Refusal {
  constructor(
    readonly errorCode: string,
    kind: RefusalKind,
    message: string,
  ) {
    super(kind, message);
  }
}

/** The code or refresh token is invalid or expired (RFC 6749 5.2). */
export const invalidGrant = (message: string) => new OAuthRefusal("invalid_grant", "malformed", message);
export const unsupportedGrant = (message: string) =>
  new OAuthRefusal("unsupported_grant_type", "malformed", message);
/** The access token is invalid (RFC 6750 3.1). */
export const invalidToken = (message: string) => new OAuthRefusal("invalid_token", "unauthorized", message);

export function sendToApp(call: Call, answer: HttpResponse): Response {
  return sendResponse(call, forApp(answer));
}

/** Forbids caching, because the response may contain a key (RFC 6749 5.1). */
function forApp(answer: HttpResponse): HttpResponse {
  return withHeaders(answer, { "cache-control": CACHE_CONTROL.noStore, ...CORS_HEADERS });
}

export const preflight = ({ call }: { call: Call }): Response => sendToApp(call, emptyResponse());

export function appErrorResponse(refusal: Refusal): HttpResponse {
  return forApp(oauthErrorResponse(refusal, refusal instanceof OAuthRefusal ? refusal.errorCode : undefined));
}
