import type { ValueError } from "@sinclair/typebox/compiler";
import type { ValidationError } from "elysia";
import { recordDiskError } from "../../database/disk-errors";
import {
  asDatabaseDamaged,
  asDatabaseLocked,
  asDiskFull,
  asDiskNotWritable,
  asRemovedMeanwhile,
  asTooManyOpenFiles,
  malformed,
  Refusal,
  type RefusalKind,
} from "../../errors";
import type { Call } from "../requests/call";
import { requestCounts } from "../requests/request-counts";
import { fieldErrorSentence, fieldErrors } from "../requests/schema-checking";
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

/** The route of all pages, whose paths say more. */
const PAGES = "/*";

/**
 * Every error that Elysia's hook caught as a Refusal, for the door to tell in its own way. A fault of ours goes to the
 * log. A hook that passes on all that it is given has cookies parsed for every request of every door.
 * @param route as registered: "/api/v1/posts/:id"
 */
export function toRefusal(call: Call, code: string | number, error: unknown, route?: string): Refusal {
  const refusal = expectedRefusal(code, error);
  recordDiskError(call.platen, error);
  // Nobody but the owner can mend that.
  if (asDiskNotWritable(error)) logFault(call, route, error);
  if (refusal) return refusal;
  if (call.request.signal.aborted) return malformed("The request broke off.");
  logFault(call, route, error);
  return new Refusal("failed", "Platen failed to do this; its log says why.");
}

/** For doors that speak no protocol and have no pages. */
export function textErrorResponse(refusal: Refusal): TextResponse {
  return textResponse(ERROR_STATUS[refusal.kind], refusal.message, errorHeaders(refusal));
}

/** The headers a refusal needs beside its body. */
export function errorHeaders(refusal: Refusal): Record<string, string> {
  if (refusal.kind === "unauthorized") return { "www-authenticate": "Bearer" };
  if (refusal.kind === "throttled" || refusal.kind === "busy")
    return { "retry-after": String(Math.ceil(refusal.retryAfter ?? 60)) };
  return {};
}

/** Thrown by a noun, inside a body parser, or a schema that was not met. Null: a fault of ours. */
function expectedRefusal(code: string | number, error: unknown): Refusal | null {
  if (error instanceof Refusal) return error;
  if (error instanceof Error && error.cause instanceof Refusal) return error.cause;
  if (code === "VALIDATION") return unmetSchema(error as ValidationError);
  if (code === "PARSE") return malformed("The body cannot be read.");
  if (code === "NOT_FOUND") return new Refusal("missing", "There is nothing at this address.");
  return (
    asDiskFull(error) ??
    asTooManyOpenFiles(error) ??
    asDatabaseLocked(error) ??
    asDatabaseDamaged(error) ??
    asDiskNotWritable(error) ??
    asRemovedMeanwhile(error)
  );
}

/** Tells the operator, but no secret: links for one reader are in paths, tokens in queries. */
function logFault({ platen, request, url }: Call, route: string | undefined, error: unknown): void {
  const says = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const address = route === PAGES ? publicPath(url.pathname) : route;
  requestCounts(platen).faults++;
  platen.log(`${request.method} ${address} failed: ${says}`);
}

/** What stands before the secret of a link for one reader, or for one who is invited. */
const BEFORE_SECRET = /\/(share|join|komments)[^a-z0-9-]/i;
/** What addresses of pages are made of, which secrets and spoilt addresses are not. */
const OF_PAGES = /^[a-z0-9@/.-]+$/;

/**
 * Such a link comes here below a blog too, and as mail and chat programs spoil it: with letters encoded (once or twice), its
 * question mark too, with a slash or a sign too many. So what is no plain address is not told.
 */
function publicPath(path: string): string {
  const [, word] = BEFORE_SECRET.exec(path.replace(/%[0-7][\da-f]/gi, decodeURIComponent)) ?? [];
  if (word !== undefined) return `/${word.toLowerCase()}/…`;
  return OF_PAGES.test(path) ? path : "/…";
}

/** A wrong query is malformed (400), a wrong id in the path names nothing (404). Bodies are checked by `checkedBody`. */
function unmetSchema(error: ValidationError): Refusal {
  if (error.type === "params") return new Refusal("missing", "There is nothing at this address.");
  const faults = fieldErrors(error.all.filter((fault) => "path" in fault) as ValueError[]);
  return malformed(fieldErrorSentence(faults), faults);
}

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
export function oauthErrorResponse(refusal: Refusal, code = ERROR_CODES[refusal.kind]): TextResponse {
  const body = { error: code, error_description: refusal.message, errors: refusal.fields };
  return jsonResponse(ERROR_STATUS[refusal.kind], body, errorHeaders(refusal));
}
