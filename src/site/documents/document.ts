import { CACHE_CONTROL } from "../../http/responses/cache-control";
import { etagOf } from "../../http/responses/etags";
import type { Document } from "../route";

/** With an entity tag and no time: the newest change of what is left says nothing of what was taken out. */
export function documentAnswer({ contentType, body, isForGood }: Document) {
  const headers = new Headers({
    "content-type": contentType,
    "cache-control": isForGood ? CACHE_CONTROL.immutable : CACHE_CONTROL.publicNoCache,
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    etag: etagOf(body),
  });
  return { status: 200, headers, body: body as string | Uint8Array<ArrayBuffer> };
}
