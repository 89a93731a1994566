import { MEGABYTE } from "../../config/units";
import { CACHE_CONTROL } from "./cache-control";
import { etagOf } from "./etags";

/** A response that does not depend on the request's headers, so it can be cached and sent to any client. */
export interface HttpResponse<Body extends AnyBody = AnyBody> {
  status: number;
  /** `etag` makes 304 possible. Must not change once the response is cached. */
  headers: Headers;
  body: Body;
  /** The response in the best encoding for this Accept-Encoding. */
  encodedFor?(accepts: string | null): HttpResponse;
  /** Called for each request it is sent to. @throws Refusal (long header) */
  onSent?(request: Request): void;
}

/** Bun serves the range that is requested of a `Bun.file`, and sends a Blob in memory without copying it. */
type AnyBody = string | Bytes | Blob | ReadableStream<Uint8Array> | null;

export type Bytes = Uint8Array<ArrayBuffer>;

export type TextResponse = HttpResponse<string>;

type HeaderFields = Record<string, string>;

/** Whether a body is sent as a stream, within the response budget. */
export function isLargeBody(body: AnyBody): body is string | Bytes {
  return (typeof body === "string" || body instanceof Uint8Array) && body.length > MEGABYTE;
}

const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

export function jsonResponse(status: number, body: unknown, headers: HeaderFields = {}): TextResponse {
  return { status, headers: new Headers({ ...JSON_TYPE, ...headers }), body: JSON.stringify(body) };
}

/** @param text without its last newline */
export function textResponse(status: number, text: string, headers: HeaderFields = {}): TextResponse {
  const contentType = "text/plain; charset=utf-8";
  return { status, headers: new Headers({ "content-type": contentType, ...headers }), body: `${text}\n` };
}

export function emptyResponse(headers: HeaderFields = {}): TextResponse {
  return { status: 204, headers: new Headers(headers), body: "" };
}

/** @param status 303 turns a POST into a GET, 308 sends the POST again */
export function redirect(
  status: 301 | 302 | 303 | 307 | 308,
  location: string,
  headers: HeaderFields,
): HttpResponse<null> {
  return { status, headers: new Headers({ location, ...headers }), body: null };
}

/** Redirects after an accepted form; reloading the next page does not send the form again. */
export function seeOther(location: string, headers: HeaderFields = {}): HttpResponse {
  return redirect(303, location, { "cache-control": CACHE_CONTROL.noStore, ...headers });
}

/** Adds `cache-control`, and an `etag` if there is none. */
export function revalidatedByClient<Kind extends HttpResponse<string | Bytes>>(response: Kind): Kind {
  if (!response.headers.has("etag")) response.headers.set("etag", etagOf(response.body));
  response.headers.set("cache-control", CACHE_CONTROL.privateNoCache);
  return response;
}

/**
 * A response for the cache. From its second use on it sends a Blob, which Bun does not copy. Large bodies are streamed
 * instead.
 */
export function reusableResponse(
  response: HttpResponse<string | Bytes>,
  onBlob: (blob: Blob) => void,
): HttpResponse {
  let current: HttpResponse<string | Bytes | Blob> = response;
  let isFirstUse = true;
  const encodedFor = () => {
    const { body } = current;
    if (!isFirstUse && !(body instanceof Blob) && !isLargeBody(body)) {
      const blob = new Blob([bytesOfBody(body)]);
      current = { ...current, body: blob };
      onBlob(blob);
    }
    isFirstUse = false;
    return current;
  };
  return { ...response, body: null, encodedFor };
}

export function bytesOfBody(body: string | Bytes): Bytes {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** Adds the headers that the response does not have yet. */
export function withHeaders<Kind extends HttpResponse>(response: Kind, headers: HeaderFields): Kind {
  for (const [name, value] of Object.entries(headers))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}
