import { MAX_BYTES } from "../../config/request-limits";
import { MEGABYTE } from "../../config/units";
import { busy, stale } from "../../errors";
import type { Html } from "../../text/html";
import type { Call } from "../requests/call";
import { readHeader } from "../requests/headers";
import { inlineStyleSource, pagePolicy } from "./security-headers";

export const CACHE_CONTROL = {
  noStore: "no-store",
  privateNoCache: "private, no-cache",
  publicNoCache: "public, no-cache",
  immutable: "public, max-age=31536000, immutable",
};

/** In seconds. Limited, because a purge request may get lost. */
const CDN_MAX_AGE = 86_400;

/** For CDNs that are purged when pages change: RFC 9213 (most CDNs), Fastly and Varnish, nginx. */
export const CDN_CACHE_HEADERS = {
  "cdn-cache-control": `public, max-age=${CDN_MAX_AGE}`,
  "surrogate-control": `max-age=${CDN_MAX_AGE}`,
  "x-accel-expires": String(CDN_MAX_AGE),
};

/**
 * `sendResponse` applies Accept-Encoding and If-None-Match later, so that the cache can serve every client.
 */
export interface HttpResponse<Body extends AnyBody = AnyBody> {
  status: number;
  /** An `etag` makes 304 possible. The headers must not change once the response is cached. */
  headers: Headers;
  body: Body;
  encodedFor?(accepts: string | null): HttpResponse;
  /** Called each time the response is sent, also from the cache. @throws Refusal (long header) */
  onSent?(request: Request): void;
}

/** Bun handles Range for a `Bun.file`, and sends a Blob in memory without copying it. */
type AnyBody = string | Bytes | Blob | ReadableStream<Uint8Array> | null;

export type Bytes = Uint8Array<ArrayBuffer>;

export type TextResponse = HttpResponse<string>;

export type HeaderFields = Record<string, string>;

export function isLargeBody(body: AnyBody): body is string | Bytes {
  return (typeof body === "string" || body instanceof Uint8Array) && body.length > MEGABYTE;
}

export function jsonResponse(status: number, body: unknown, headers: HeaderFields = {}): TextResponse {
  const contentType = "application/json; charset=utf-8";
  const all = new Headers({ "content-type": contentType, ...headers });
  return { status, headers: all, body: JSON.stringify(body) };
}

export function textResponse(status: number, text: string, headers: HeaderFields = {}): TextResponse {
  const contentType = "text/plain; charset=utf-8";
  return { status, headers: new Headers({ "content-type": contentType, ...headers }), body: `${text}\n` };
}

export function publicPageResponse(page: Html, status = 200, headers: HeaderFields = {}): TextResponse {
  return htmlResponse(page, status, {
    "cache-control": CACHE_CONTROL.publicNoCache,
    etag: etagOf(page.markup),
    ...headers,
  });
}

export function privatePageResponse(page: Html, status = 200, headers: HeaderFields = {}): TextResponse {
  return htmlResponse(page, status, {
    "referrer-policy": "no-referrer",
    "cache-control": CACHE_CONTROL.noStore,
    ...headers,
  });
}

function htmlResponse({ markup }: Html, status: number, headers: HeaderFields): TextResponse {
  const all = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": pagePolicy(inlineStyleSource(markup)),
    ...headers,
  };
  return { status, headers: new Headers(all), body: markup };
}

export function emptyResponse(headers: HeaderFields = {}): TextResponse {
  return { status: 204, headers: new Headers(headers), body: "" };
}

export function redirect(status: 301 | 302 | 303 | 307 | 308, location: string, headers: HeaderFields) {
  return { status, headers: new Headers({ location, ...headers }), body: null };
}

export function seeOther(location: string, headers: HeaderFields = {}): HttpResponse {
  return redirect(303, location, { "cache-control": CACHE_CONTROL.noStore, ...headers });
}

const PLACEHOLDER_ORIGIN = "http://here.invalid";

/** Begins a host, even after characters that parsers drop. Parsing a long one would take long. */
const HOST_START = /^\/[\t\n\r]*[/\\]/;

/**
 * Parses like a browser, because "//evil.example" and "/\evil.example" lead to another host.
 * @returns path and query, or null if the URL leads to another host or is relative
 */
export function localPath(text: string | null): string | null {
  const url = text?.startsWith("/") && !HOST_START.test(text) ? URL.parse(text, PLACEHOLDER_ORIGIN) : null;
  if (!url || url.origin !== PLACEHOLDER_ORIGIN) return null;
  // "/.//evil.example" passes the check, but browsers would read the path //evil.example as another host.
  return `/${url.pathname.replace(/^\/+/, "")}${url.search}`;
}

/** Changes the response: sets `cache-control`, and an `etag` if there is none. */
export function revalidatedByClient<Kind extends HttpResponse<string | Bytes>>(response: Kind): Kind {
  if (!response.headers.has("etag")) response.headers.set("etag", etagOf(response.body));
  response.headers.set("cache-control", CACHE_CONTROL.privateNoCache);
  return response;
}

export function bytesOfBody(body: string | Bytes): Bytes {
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}

/** Changes the response: adds the headers that it lacks. */
export function withHeaders<Kind extends { headers: Headers }>(response: Kind, headers: HeaderFields): Kind {
  for (const [name, value] of Object.entries(headers))
    if (!response.headers.has(name)) response.headers.set(name, value);
  return response;
}

/** @throws Refusal: long header, busy */
export function sendResponse({ request }: Pick<Call, "request">, response: HttpResponse): Response {
  const encoded = response.encodedFor?.(readHeader(request, "accept-encoding")) ?? response;
  const { status, headers, body } = encoded;
  response.onSent?.(request);
  if (status === 200 && hasCurrentEtag(request, headers)) return notModified(headers);
  const data = isLargeBody(body) && request.method !== "HEAD" ? streamWithinBudget(bytesOfBody(body)) : body;
  return new Response(status === 204 ? null : data, { status, headers });
}

/** Only reads get a 304 (RFC 9110 13.1.2): the `etag` of a write names the new version. */
function hasCurrentEtag(request: Request, headers: Headers): boolean {
  const known = readHeader(request, "if-none-match");
  if (known === null || !/^(GET|HEAD)$/.test(request.method)) return false;
  const etag = headers.get("etag");
  return etag !== null && matchesEtag(known, etag);
}

/**
 * Repeats the headers of the 200 response, because browsers update cached headers, such as
 * Content-Security-Policy.
 */
function notModified(headers: Headers): Response {
  const repeated = new Headers(headers);
  repeated.delete("content-encoding");
  return new Response(null, { status: 304, headers: repeated });
}

const CHUNK_BYTES = 64 * 1024;
const BUDGET_RETRY_SECONDS = 30;

let unreadBytes = 0;

/**
 * The large bodies being sent must fit into a budget, so that slow clients cannot fill the memory.
 * @throws Refusal (busy) if the body does not fit
 */
function streamWithinBudget(body: Bytes): ReadableStream<Uint8Array> {
  if (unreadBytes + body.length > MAX_BYTES.unreadResponses)
    throw busy("Too many large responses are being sent. Try again soon.", BUDGET_RETRY_SECONDS);
  let bytes = 0;
  let counted = 0;
  const count = (bytes: number) => {
    counted += bytes;
    unreadBytes += bytes;
  };
  return new ReadableStream(
    {
      pull(controller) {
        // Counted from the first read, because a stream that is never read is never canceled.
        if (bytes === 0) count(body.length);
        controller.enqueue(body.subarray(bytes, bytes + CHUNK_BYTES));
        bytes += CHUNK_BYTES;
        if (bytes < body.length) return;
        controller.close();
        count(-counted);
      },
      cancel: () => count(-counted),
    },
    { highWaterMark: 0 },
  );
}

/** Strong (RFC 9110 8.8.3). A deliberate collision does no harm, so a fast hash is enough. */
export function etagOf(body: string | Uint8Array): string {
  return `"${Bun.hash.xxHash3(body).toString(36)}"`;
}

/** Ignores W/, which proxies such as nginx add if they compress a response. */
export function matchesEtag(list: string, etag: string): boolean {
  const tags = list.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag);
}

/**
 * @throws Refusal (stale) if the request's If-Match does not match the current entity tag (RFC 9110 13.1.1)
 */
export function assertIfMatch({ request }: Call, etag: () => string): void {
  const expected = readHeader(request, "if-match");
  if (expected === null) return;
  // Apache and Caddy append the encoding if they compress a response.
  const original = expected.replace(/-(gzip|br|zstd)"/g, '"');
  if (!matchesEtag(original, etag()))
    throw stale("The post has changed since you read it. Read it again, then repeat your change.");
}

export function jsonSha256(value: unknown, prefix = ""): string {
  return new Bun.CryptoHasher("sha256")
    .update(prefix)
    .update(JSON.stringify(value) ?? "")
    .digest("hex");
}
