import { Refusal, type RefusalKind } from "../../errors";
import { type Answer, jsonAnswer, send } from "../../http/answers/answer";
import { oauthRefusal } from "../../http/answers/oauth-errors";

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
export function tell(body: unknown): Response {
  return sendOpen(jsonAnswer(200, body));
}

export function tellNothing(): Response {
  return sendOpen({ status: 200, headers: {}, body: "" });
}

export function preflight(): Response {
  return sendOpen({ status: 204, headers: {}, body: "" });
}

export function tellRefusal(refusal: Refusal): Response {
  return sendOpen(oauthRefusal(refusal, refusal instanceof WordedRefusal ? refusal.word : undefined));
}

function sendOpen({ headers, ...answer }: Answer): Response {
  return send({ ...answer, headers: { "cache-control": "no-store", ...OPEN, ...headers } });
}
