import { etagOf, matchesEtag } from "../../http/answers/answer";

/** What a blog answers beside pages: feeds, maps, pictures. */
export interface Document {
  contentType: string;
  body: string | Uint8Array;
  /** Nothing else will ever be at its address. */
  isForGood?: boolean;
}

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
