import { MAX_BYTES } from "../../config/request-limits";
import { busy } from "../../errors";
import type { Call } from "../requests/call";
import { readHeader } from "../requests/headers";
import { matchesEtag } from "./etags";
import { type Bytes, bytesOfBody, type HttpResponse, isLargeBody } from "./response";

/** Makes every Response: chooses the encoding (Accept-Encoding) and answers 304 (If-None-Match). */
export function sendResponse({ request }: Pick<Call, "request">, response: HttpResponse): Response {
  const encoded = response.encodedFor?.(readHeader(request, "accept-encoding")) ?? response;
  const { status, headers, body } = encoded;
  response.onSent?.(request);
  if (status === 200 && hasCurrentEtag(request, headers)) return notModified(headers);
  const sent = isLargeBody(body) && request.method !== "HEAD" ? streamWithinBudget(bytesOfBody(body)) : body;
  return new Response(status === 204 ? null : sent, { status, headers });
}

/** RFC 9110 13.1.2. For reads only: the `etag` of a write names the new version. */
function hasCurrentEtag(request: Request, headers: Headers): boolean {
  const known = readHeader(request, "if-none-match");
  if (known === null || !/^(GET|HEAD)$/.test(request.method)) return false;
  const etag = headers.get("etag");
  return etag !== null && matchesEtag(known, etag);
}

/** Repeats all headers of the 200: browsers update their cached ones, such as Content-Security-Policy. */
function notModified(headers: Headers): Response {
  const repeated = new Headers(headers);
  repeated.delete("content-encoding");
  return new Response(null, { status: 304, headers: repeated });
}

const CHUNK_BYTES = 64 * 1024;
const BUDGET_RETRY_SECONDS = 30;

/** Bytes of large responses that clients have not read yet; global because the process's memory is. */
let unreadBytes = 0;

/**
 * Streams a large body within a budget of unread bytes, so that slow clients cannot fill the memory.
 * @throws Refusal (busy) if too much is unread
 */
function streamWithinBudget(body: Bytes): ReadableStream<Uint8Array> {
  if (unreadBytes + body.length > MAX_BYTES.unreadResponses)
    throw busy("Too many large responses are being sent. Try again soon.", BUDGET_RETRY_SECONDS);
  let sent = 0;
  let counted = 0;
  const count = (bytes: number) => {
    counted += bytes;
    unreadBytes += bytes;
  };
  return new ReadableStream(
    {
      pull(controller) {
        // Counted from the first read on: a stream that is never read is never cancelled either.
        if (sent === 0) count(body.length);
        controller.enqueue(body.subarray(sent, sent + CHUNK_BYTES));
        sent += CHUNK_BYTES;
        if (sent < body.length) return;
        controller.close();
        count(-counted);
      },
      cancel: () => count(-counted),
    },
    { highWaterMark: 0 },
  );
}
