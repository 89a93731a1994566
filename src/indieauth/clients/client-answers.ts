import { Refusal, type RefusalKind } from "../../errors";
import { type Answer, CACHING, emptyAnswer, withHeaders } from "../../http/answers/answer";
import { oauthRefusal } from "../../http/answers/oauth-errors";
import { send } from "../../http/answers/sending";
import type { Call } from "../../http/requests/call";

/** Apps may be pages in a browser: any of them may read the answers, for no cookie counts at these addresses. */
const OPEN = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "Authorization, Content-Type",
  "access-control-max-age": "86400",
};

/** A refusal that OAuth has a word of its own for. */
class WordedRefusal extends Refusal {
  constructor(
    readonly word: string,
    kind: RefusalKind,
    message: string,
  ) {
    super(kind, message);
  }
}

/** Code or refresh token are not, or no longer, good for what is wanted (RFC 6749 5.2). */
export const invalidGrant = (message: string) => new WordedRefusal("invalid_grant", "malformed", message);
export const unsupportedGrant = (message: string) =>
  new WordedRefusal("unsupported_grant_type", "malformed", message);
/** RFC 6750 3.1 */
export const invalidToken = (message: string) => new WordedRefusal("invalid_token", "unauthorized", message);

/** What only the app that asked is to have: kept nowhere on the way (RFC 6749 5.1). */
export function sendToApp(call: Call, answer: Answer): Response {
  return send(call, withHeaders(answer, { "cache-control": CACHING.nowhere, ...OPEN }));
}

export const preflight = ({ call }: { call: Call }): Response => sendToApp(call, emptyAnswer());

export function refusalAnswer(refusal: Refusal): Answer {
  return oauthRefusal(refusal, refusal instanceof WordedRefusal ? refusal.word : undefined);
}
