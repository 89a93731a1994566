import { etagOf, isKnownTo } from "../http/answers";

const SECOND = 1000;

/** What a blog answers beside pages: feeds, maps, pictures. */
export interface Document {
  contentType: string;
  body: string | Uint8Array;
  /** When it last changed, where that is known. */
  changedAt?: Date;
  /** Nothing else will ever be at its address. */
  isForGood?: boolean;
}

/** @param now decides whether the second of the last change is over, and with it whether its time can stand for it (RFC 9110 8.8.2.2) */
export function sendDocument(request: Request, document: Document, now: Date): Response {
  const { contentType, body, changedAt, isForGood } = document;
  const etag = etagOf(typeof body === "string" ? body : Buffer.from(body).toString("latin1"));
  const isOver = changedAt && secondOf(changedAt) < secondOf(now);
  const headers = new Headers({
    "content-type": contentType,
    "cache-control": isForGood ? "public, max-age=31536000, immutable" : "public, no-cache",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    etag,
  });
  if (isOver) headers.set("last-modified", changedAt.toUTCString());
  if (isKnownTo(request, etag, headers.get("last-modified")))
    return new Response(null, { status: 304, headers });
  return new Response(body as BodyInit, { headers });
}

function secondOf(moment: Date): number {
  return Math.floor(moment.getTime() / SECOND);
}
