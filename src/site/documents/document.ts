import { etagOf, matchesEtag } from "../../http/answers/answer";
import type { Document } from "../route";

/** With an entity tag and no time: the newest change of what is left says nothing of what was taken out. */
export function sendDocument(request: Request, { contentType, body, isForGood }: Document): Response {
  const etag = etagOf(typeof body === "string" ? body : Buffer.from(body).toString("latin1"));
  const headers = new Headers({
    "content-type": contentType,
    "cache-control": isForGood ? "public, max-age=31536000, immutable" : "public, no-cache",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    etag,
  });
  if (matchesEtag(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  return new Response(body as BodyInit, { headers });
}
