import { CACHE_CONTROL } from "../../http/responses/cache-control";
import { etagOf } from "../../http/responses/response";
import type { Document } from "../built-in-page";

/** Has no Last-Modified header, because a deleted post changes the document but no date. */
export function documentResponse({ contentType, body, isImmutable, links }: Document) {
  const headers = new Headers({
    "content-type": contentType,
    "cache-control": isImmutable ? CACHE_CONTROL.immutable : CACHE_CONTROL.publicNoCache,
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    // Scripts of other sites may read feeds.
    "access-control-allow-origin": "*",
    etag: etagOf(body),
    ...(links && { link: links }),
  });
  return { status: 200, headers, body: body as string | Uint8Array<ArrayBuffer> };
}
