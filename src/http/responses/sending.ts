import { MAX_BYTES } from "../../config/request-limits";
import { busy } from "../../errors";
import type { Call } from "../requests/call";
import { readHeader } from "../requests/headers";
import { matchesEtag } from "./etags";
import { type Bytes, bytesOf, type HttpResponse, isLarge } from "./response";

/** Makes the Response, and is the only one to do so: decides encoding (Accept-Encoding) and 304 (If-None-Match). */
export function sendResponse({ request }: Pick<Call, "request">, answer: HttpResponse): Response {
  const { status, headers, body } = answer.formFor?.(readHeader(request, "accept-encoding")) ?? answer;
  answer.sentTo?.(request);
  if (status === 200 && isAtClient(request, headers)) return notModified(headers);
  const sent = isLarge(body) && request.method !== "HEAD" ? withinBudget(bytesOf(body)) : body;
  return new Response(status === 204 ? null : sent, { status, headers });
}

/** RFC 9110 13.1.2. Only for reading: the `etag` of a write is that of what was written. */
function isAtClient(request: Request, headers: Headers): boolean {
  const known = readHeader(request, "if-none-match");
  if (known === null || !/^(GET|HEAD)$/.test(request.method)) return false;
  const etag = headers.get("etag");
  return etag !== null && matchesEtag(known, etag);
}

/** Has all headers of the 200: browsers replace those they have kept, Content-Security-Policy among them. */
function notModified(headers: Headers): Response {
  const kept = new Headers(headers);
  kept.delete("content-encoding");
  return new Response(null, { status: 304, headers: kept });
}

const CHUNK = 64 * 1024;
/** In seconds. */
const RETRY_AFTER = 30;

/** Bytes of large responses that clients have not read yet. The memory is the process's, so the count is too. */
let unread = 0;

/**
 * A large body as a stream that counts until the client has read it or is gone: clients that read nothing cannot fill the
 * memory. @throws Refusal (busy) if too much is unread
 */
export function withinBudget(body: Bytes): ReadableStream<Uint8Array> {
  if (unread + body.length > MAX_BYTES.unreadResponses)
    throw busy("Too many large responses are being sent. Try again soon.", RETRY_AFTER);
  let sent = 0;
  let counted = 0;
  const count = (bytes: number) => {
    counted += bytes;
    unread += bytes;
  };
  return new ReadableStream(
    {
      pull(controller) {
        // Counted from the first read on: a stream that is never read is never cancelled either.
        if (sent === 0) count(body.length);
        controller.enqueue(body.subarray(sent, sent + CHUNK));
        sent += CHUNK;
        if (sent < body.length) return;
        controller.close();
        count(-counted);
      },
      cancel: () => count(-counted),
    },
    { highWaterMark: 0 },
  );
}
