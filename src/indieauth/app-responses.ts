import { recordAppAttempt } from "../accounts/app-attempts";
import { Refusal, type RefusalKind } from "../errors";
import type { Call } from "../http/requests/call";
import { CACHE_CONTROL } from "../http/responses/cache-control";
import { oauthErrorResponse } from "../http/responses/error-responses";
import { emptyResponse, type HttpResponse, sendResponse, withHeaders } from "../http/responses/response";
import type { Platen } from "../platen";

/** Apps may run in a browser. Any origin may read the responses, because these routes ignore cookies. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "Authorization, Content-Type",
  "access-control-max-age": "86400",
};

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

export function sendToApp(call: Call, response: HttpResponse): Response {
  return sendResponse(call, forApp(response));
}

/** Forbids caching, because the response may contain a key (RFC 6749 5.1). */
function forApp(response: HttpResponse): HttpResponse {
  return withHeaders(response, { "cache-control": CACHE_CONTROL.noStore, ...CORS_HEADERS });
}

export const preflight = ({ call }: { call: Call }): Response => sendToApp(call, emptyResponse());

export function appErrorResponse(refusal: Refusal): HttpResponse {
  return forApp(oauthErrorResponse(refusal, refusal instanceof OAuthRefusal ? refusal.errorCode : undefined));
}

interface SignInStep {
  clientId: string | null;
  action: string;
  accountId: number | null;
}

/** @param outcome text of the log entry after a success; null for no entry */
export async function recordSignInStep<Result>(
  platen: Platen,
  step: SignInStep,
  work: () => Result | Promise<Result>,
  outcome: (result: Result) => string | null,
): Promise<Result> {
  const attempt = { app: hostOf(step.clientId), action: step.action, clientId: step.clientId };
  try {
    const result = await work();
    const message = outcome(result);
    if (message !== null)
      recordAppAttempt(platen, step.accountId, { ...attempt, outcome: message, isSuccess: true });
    return result;
  } catch (error) {
    if (error instanceof Refusal)
      recordAppAttempt(platen, step.accountId, { ...attempt, outcome: error.message, isSuccess: false });
    throw error;
  }
}

function hostOf(clientId: string | null): string {
  return URL.parse(clientId ?? "")?.host || "An unknown app";
}
