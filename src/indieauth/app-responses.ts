import { recordAppAttempt } from "../accounts/app-attempts";
import { Refusal } from "../errors";
import type { Call } from "../http/requests/call";
import { CACHE_CONTROL } from "../http/responses/cache-control";
import { OAuthRefusal, oauthErrorResponse } from "../http/responses/error-responses";
import { emptyResponse, type HttpResponse, sendResponse, withHeaders } from "../http/responses/response";
import type { Platen } from "../platen";

/** Apps may run in a browser. Any origin may read the responses, because these routes ignore cookies. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST",
  "access-control-allow-headers": "Authorization, Content-Type",
  "access-control-max-age": "86400",
};

/** The code or refresh token is invalid or expired (RFC 6749 5.2). */
export const invalidGrant = (message: string) => new OAuthRefusal("invalid_grant", "malformed", message);
export const unsupportedGrant = (message: string) =>
  new OAuthRefusal("unsupported_grant_type", "malformed", message);
/** The access token is invalid (RFC 6750 3.1). */
export const invalidToken = (message: string) => new OAuthRefusal("invalid_token", "unauthorized", message);

/** Forbids caching, because the response may contain a key (RFC 6749 5.1). */
function forApp(response: HttpResponse): HttpResponse {
  return withHeaders(response, { "cache-control": CACHE_CONTROL.noStore, ...CORS_HEADERS });
}

export function sendToApp(call: Call, response: HttpResponse): Response {
  return sendResponse(call, forApp(response));
}

export const preflight = ({ call }: { call: Call }): Response => sendToApp(call, emptyResponse());

export const appErrorResponse = (refusal: Refusal) => forApp(oauthErrorResponse(refusal));

interface SignInStep {
  clientId: string | null;
  action: string;
  accountId: number | null;
}

/** @param outcome text of the log entry after a success; null for no entry */
export async function recordSignInStep<Result>(
  platen: Platen,
  { accountId, ...step }: SignInStep,
  outcome: string | null,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const app = URL.parse(step.clientId ?? "")?.host || "An unknown app";
  const record = (outcome: string, isSuccess: boolean) =>
    recordAppAttempt(platen, accountId, { ...step, app, outcome, isSuccess });
  try {
    const result = await work();
    if (outcome !== null) record(outcome, true);
    return result;
  } catch (error) {
    if (error instanceof Refusal) record(error.message, false);
    throw error;
  }
}
