import { Refusal, type RefusalKind } from "../../errors";
import { oauthRefusal } from "../../http/answers/oauth-errors";
import type { Call } from "../../http/requests/call";
import { CACHING } from "../../http/responses/cache-control";
import { type Answer, emptyAnswer, withHeaders } from "../../http/responses/response";
import { send } from "../../http/responses/sending";

/** Apps may run in a browser. Any origin may read the answers: no cookie is looked at here. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "Authorization, Content-Type",
  "access-control-max-age": "86400",
};

/** A refusal with an error code of its own in OAuth. */
class OAuthRefusal extends Refusal {
  constructor(
    readonly errorCode: string,
    kind: RefusalKind,
    message: string,
  ) {
    super(kind, message);
  }
}

/** Code or refresh token are not, or no longer, good for what is wanted (RFC 6749 5.2). */
export const invalidGrant = (message: string) => new OAuthRefusal("invalid_grant", "malformed", message);
export const unsupportedGrant = (message: string) =>
  new OAuthRefusal("unsupported_grant_type", "malformed", message);
/** RFC 6750 3.1 */
export const invalidToken = (message: string) => new OAuthRefusal("invalid_token", "unauthorized", message);

export function sendToApp(call: Call, answer: Answer): Response {
  return send(call, forApp(answer));
}

/** Kept nowhere on the way: the answer may hold a key (RFC 6749 5.1). */
function forApp(answer: Answer): Answer {
  return withHeaders(answer, { "cache-control": CACHING.nowhere, ...CORS_HEADERS });
}

export const preflight = ({ call }: { call: Call }): Response => sendToApp(call, emptyAnswer());

export function refusalAnswer(refusal: Refusal): Answer {
  return forApp(oauthRefusal(refusal, refusal instanceof OAuthRefusal ? refusal.errorCode : undefined));
}
