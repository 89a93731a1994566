import type { ValueError } from "@sinclair/typebox/compiler";
import type { ValidationError } from "elysia";
import { recordDiskError } from "../../database/transactions";
import {
  asDatabaseDamaged,
  asDatabaseLocked,
  asDiskFull,
  asDiskNotWritable,
  asRemovedMeanwhile,
  asTooManyOpenFiles,
  invalid,
  malformed,
  Refusal,
  type RefusalKind,
} from "../../errors";
import { type Call, requestCounts } from "../requests/call";
import { fieldErrors } from "../requests/request-body";
import { jsonResponse, type TextResponse, textResponse } from "./response";

export const ERROR_STATUS: Record<RefusalKind, number> = {
  malformed: 400,
  unauthorized: 401,
  forbidden: 403,
  unscoped: 403,
  missing: 404,
  conflict: 409,
  stale: 412,
  "too large": 413,
  "long address": 414,
  invalid: 422,
  throttled: 429,
  busy: 503,
  "long header": 431,
  failed: 500,
  "no room": 507,
  unwritable: 503,
};

/** Codes of OAuth and W3C Micropub 3.8, and "not_found". Other kinds are "invalid_request". */
const OAUTH_CODES: Partial<Record<RefusalKind, string>> = {
  unauthorized: "unauthorized",
  forbidden: "forbidden",
  unscoped: "insufficient_scope",
  missing: "not_found",
  throttled: "slow_down",
  busy: "temporarily_unavailable",
  failed: "server_error",
  "no room": "temporarily_unavailable",
  unwritable: "temporarily_unavailable",
};

export function textErrorResponse(refusal: Refusal): TextResponse {
  return textResponse(ERROR_STATUS[refusal.kind], refusal.message, errorHeaders(refusal));
}

/** An error with a code of its own. */
export class OAuthRefusal extends Refusal {
  constructor(
    readonly errorCode: string,
    kind: RefusalKind,
    message: string,
  ) {
    super(kind, message);
  }
}

export function oauthErrorResponse(refusal: Refusal): TextResponse {
  const code = refusal instanceof OAuthRefusal ? refusal.errorCode : OAUTH_CODES[refusal.kind];
  const body = {
    error: code ?? "invalid_request",
    error_description: refusal.message,
    errors: refusal.fields,
  };
  return jsonResponse(ERROR_STATUS[refusal.kind], body, errorHeaders(refusal));
}

export function errorHeaders(refusal: Refusal): Record<string, string> {
  if (refusal.kind === "unauthorized") return { "www-authenticate": "Bearer" };
  if (refusal.kind === "throttled" || refusal.kind === "busy")
    return {
      "retry-after": String(Math.ceil(refusal.retryAfter ?? 60)),
      // Ends a body that is still being sent.
      ...(refusal.kind === "busy" && { connection: "close" }),
    };
  return {};
}

/** @param route as registered, such as "/api/v1/posts/:id" */
export function toRefusal(call: Call, code: string | number, error: unknown, route?: string): Refusal {
  const refusal = expectedRefusal(code, error);
  recordDiskError(call.platen, error);
  // Logged, because only the operator can repair the disk.
  if (asDiskNotWritable(error)) logError(call, route, error);
  if (refusal) return refusal;
  if (call.request.signal.aborted) return malformed("Request was aborted.");
  logError(call, route, error);
  return new Refusal("failed", "Something went wrong on the server. See its log for details.");
}

function expectedRefusal(code: string | number, error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof Error && error.cause instanceof Refusal) return error.cause;
  if (code === "VALIDATION") return schemaRefusal(error as ValidationError);
  if (error instanceof RangeError && error.message.startsWith("Maximum call stack"))
    return malformed("The request body is nested too deeply.");
  if (code === "PARSE") return malformed("The request body cannot be read.");
  if (code === "NOT_FOUND") return unknownUrl();
  return (
    asDiskFull(error) ??
    asTooManyOpenFiles(error) ??
    asDatabaseLocked(error) ??
    asDatabaseDamaged(error) ??
    asDiskNotWritable(error) ??
    asRemovedMeanwhile(error)
  );
}

const unknownUrl = () => new Refusal("missing", "There is nothing at this address.");

function schemaRefusal(error: ValidationError): Refusal {
  if (error.type === "params") return unknownUrl();
  const errors = fieldErrors(error.all.filter((one) => "path" in one) as ValueError[]);
  return malformed(invalid(errors).message, errors);
}

/** Logs the route or a redacted path, not the URL: paths may contain share links, and queries tokens. */
export function logError({ platen, request, url }: Call, route: string | undefined, error: unknown): void {
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error);
  // Most public pages share the route "/*".
  const address = route === "/*" ? redactPath(url.pathname) : route;
  requestCounts(platen).errors++;
  platen.log(`${request.method} ${address} failed: ${details}`);
}

const BEFORE_SECRET = /\/(share|join|komments)[^a-z0-9-]/i;
const PLAIN_PATH = /^[a-z0-9@/.-]+$/;

/**
 * Hides secrets in links to shared posts, invitations and komments. Paths with unusual characters are hidden
 * completely.
 */
function redactPath(path: string): string {
  const [, word] = BEFORE_SECRET.exec(path.replace(/%[0-7][\da-f]/gi, decodeURIComponent)) ?? [];
  if (word !== undefined) return `/${word.toLowerCase()}/…`;
  return PLAIN_PATH.test(path) ? path : "/…";
}
