import { MEGABYTE } from "../../config/units";
import { CACHE_CONTROL } from "./cache-control";
import { etagOf } from "./etags";

/**
 * What a door answers. It does not depend on the headers of the request (If-None-Match, Accept-Encoding), which `send`
 * looks at: so it can be kept, and sent to other clients.
 */
export interface HttpResponse<Body extends AnyBody = AnyBody> {
  status: number;
  /** `etag` makes 304 possible. Not to be changed once the answer is kept. */
  headers: Headers;
  body: Body;
  /** The answer in the best encoding for this Accept-Encoding; see compression. */
  formFor?(accepts: string | null): HttpResponse;
  /** What is to be awaited before that, where it takes long: it is made beside the server. */
  ready?(accepts: string | null): Promise<unknown> | undefined;
  /** Is told of each request that it is sent to. @throws Refusal (long header) */
  sentTo?(request: Request): void;
}

/**
 * Of a file (`Bun.file`), Bun sends the part that Range asks for. A Blob in memory is sent without being copied, a stream
 * to one client.
 */
type AnyBody = string | Bytes | Blob | ReadableStream<Uint8Array> | null;

export type Bytes = Uint8Array<ArrayBuffer>;

/** An answer that can be stored. */
export type TextResponse = HttpResponse<string>;

type HeaderFields = Record<string, string>;

/** In bytes. A smaller body is sent at once with its length. */
const MIN_LARGE = MEGABYTE;

/** A body that is sent as a stream, within the response budget. */
export function isLarge(body: AnyBody): body is string | Bytes {
  return (typeof body === "string" || body instanceof Uint8Array) && body.length > MIN_LARGE;
}

export function jsonResponse(status: number, body: unknown, headers: HeaderFields = {}): TextResponse {
  return { status, headers: new Headers({ ...JSON_TYPE, ...headers }), body: JSON.stringify(body) };
}

/** @param body JSON that was written before */
export function jsonBytesResponse(body: Bytes, headers: HeaderFields = {}): HttpResponse<Bytes> {
  return { status: 200, headers: new Headers({ ...JSON_TYPE, ...headers }), body };
}

export const JSON_TYPE = { "content-type": "application/json; charset=utf-8" };

/** @param text without the end of its last line */
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

/** Adds `cache-control`, and an `etag` where there is none. */
export function revalidatedByClient<Kind extends HttpResponse<string | Bytes>>(answer: Kind): Kind {
  if (!answer.headers.has("etag")) answer.headers.set("etag", etagOf(answer.body));
  answer.headers.set("cache-control", CACHE_CONTROL.byClient);
  return answer;
}

/**
 * An answer to be kept. Most are asked for once, so the first time it is sent as it is; from the second on, a copy takes
 * its place, which Bun sends without copying it each time. Nor does it copy a large body.
 */
export function reusableResponse(
  answer: HttpResponse<string | Bytes>,
  onCopied: (copy: Blob) => void,
): HttpResponse {
  let sent: HttpResponse<string | Bytes | Blob> = answer;
  let isFirst = true;
  const formFor = () => {
    const { body } = sent;
    if (!isFirst && !(body instanceof Blob) && !isLarge(body)) {
      const copy = new Blob([bytesOf(body)]);
      sent = { ...sent, body: copy };
      onCopied(copy);
    }
    isFirst = false;
    return sent;
  };
  return { ...answer, body: null, formFor };
}

export function bytesOf(body: string | Bytes): Bytes {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** Adds those headers that the answer does not have. */
export function withHeaders<Kind extends HttpResponse>(answer: Kind, headers: HeaderFields): Kind {
  for (const [name, value] of Object.entries(headers))
    if (!answer.headers.has(name)) answer.headers.set(name, value);
  return answer;
}

/** The answer to a form that was accepted: a reload of the page it leads to sends nothing again. */
export function seeOther(location: string, headers: Record<string, string> = {}): HttpResponse {
  return redirect(303, location, { "cache-control": CACHE_CONTROL.nowhere, ...headers });
}
