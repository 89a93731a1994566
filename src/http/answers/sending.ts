import type { Call } from "../requests/call";
import type { Answer } from "./answer";
import { matchesEtag } from "./entity-tags";

/** The one place where an answer meets its request: the form of it that the client can unpack, or that it has it already. */
export function send({ request }: Call, answer: Answer): Response {
  const { status, headers, body } = answer.formFor?.(request.headers.get("accept-encoding")) ?? answer;
  if (status === 200 && isAtClient(request, headers)) return notModified(headers);
  return new Response(status === 204 ? null : body, { status, headers });
}

/** RFC 9110 13.1.2; of writes, an entity tag only says what has become of the thing. */
function isAtClient(request: Request, headers: Headers): boolean {
  const known = request.headers.get("if-none-match");
  if (known === null || !/^(GET|HEAD)$/.test(request.method)) return false;
  const etag = headers.get("etag");
  return etag !== null && matchesEtag(known, etag);
}

/** With all the headers: a browser puts them in place of those it has kept, and would lose a Content-Security-Policy. */
function notModified(headers: Headers): Response {
  const kept = new Headers(headers);
  kept.delete("content-encoding");
  return new Response(null, { status: 304, headers: kept });
}
