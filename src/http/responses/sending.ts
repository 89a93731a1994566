import { withinBudget } from "../answers/response-budget";
import type { Call } from "../requests/call";
import { header } from "../requests/headers";
import { matchesEtag } from "./etags";
import { type Answer, bytesOf, isLarge } from "./response";

/** Makes the Response, and is the only one to do so: decides encoding (Accept-Encoding) and 304 (If-None-Match). */
export function send({ request }: Pick<Call, "request">, answer: Answer): Response {
  const { status, headers, body } = answer.formFor?.(header(request, "accept-encoding")) ?? answer;
  answer.sentTo?.(request);
  if (status === 200 && isAtClient(request, headers)) return notModified(headers);
  const sent = isLarge(body) && request.method !== "HEAD" ? withinBudget(bytesOf(body)) : body;
  return new Response(status === 204 ? null : sent, { status, headers });
}

/** RFC 9110 13.1.2. Only for reading: the `etag` of a write is that of what was written. */
function isAtClient(request: Request, headers: Headers): boolean {
  const known = header(request, "if-none-match");
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
