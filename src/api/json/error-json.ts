import type { Refusal } from "../../errors";
import { ERROR_STATUS, errorHeaders } from "../../http/responses/error-responses";
import { type HttpResponse, jsonResponse } from "../../http/responses/response";

export function apiErrorResponse(refusal: Refusal): HttpResponse {
  const body = { message: refusal.message, errors: refusal.fields };
  return jsonResponse(ERROR_STATUS[refusal.kind], body, errorHeaders(refusal));
}
