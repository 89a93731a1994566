import { CACHE_CONTROL } from "../../http/responses/cache-control";
import { etagOf } from "../../http/responses/response";
import type { Document } from "../built-in-page";

/** The response has no Last-Modified header, because the deletion of a post would not change it. */
export function documentResponse({ contentType, body, isImmutable, links }: Document) {
  const headers = new Headers({
    "content-type": contentType,
    "cache-control": isImmutable ? CACHE_CONTROL.immutable : CACHE_CONTROL.publicNoCache,
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    etag: etagOf(body),
    ...(links && { link: links }),
  });
  return { status: 200, headers, body: body as string | Uint8Array<ArrayBuffer> };
}
