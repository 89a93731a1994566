import type { Refusal, RefusalKind } from "../../errors";
import { refusalHeaders, STATUS } from "../responses/error-responses";
import { jsonAnswer, type TextAnswer } from "../responses/response";

/** The error codes of RFC 6749 5.2, RFC 6750 3.1 and W3C Micropub 3.8 for each kind of refusal. */
const ERROR_CODES: Record<RefusalKind, string> = {
  malformed: "invalid_request",
  unauthorized: "unauthorized",
  forbidden: "forbidden",
  unscoped: "insufficient_scope",
  missing: "not_found",
  conflict: "invalid_request",
  stale: "invalid_request",
  "too large": "invalid_request",
  "long address": "invalid_request",
  invalid: "invalid_request",
  throttled: "slow_down",
  busy: "temporarily_unavailable",
  "long header": "invalid_request",
  failed: "server_error",
  "no room": "temporarily_unavailable",
  unwritable: "temporarily_unavailable",
};

/** The error body of Micropub and IndieAuth: `{error, error_description, errors?}` (contract.md 6). */
export function oauthRefusal(refusal: Refusal, code = ERROR_CODES[refusal.kind]): TextAnswer {
  const body = { error: code, error_description: refusal.message, errors: refusal.fields };
  return jsonAnswer(STATUS[refusal.kind], body, refusalHeaders(refusal));
}
