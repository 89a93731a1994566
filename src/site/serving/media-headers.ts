import { CACHE_CONTROL, type HttpResponse, textResponse } from "../../http/responses/response";
import { contentTypeOf } from "../../media/files/file-formats";

/** A file never changes at its URL, and runs no scripts if a browser opens it as a page. */
const MEDIA_HEADERS = {
  "cache-control": CACHE_CONTROL.immutable,
  "x-content-type-options": "nosniff",
  "content-security-policy":
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
};

/** @param modified in milliseconds since 1970 */
export function fileHeaders(name: string, { size, modified }: { size: number; modified: number }): Headers {
  const headers = new Headers(MEDIA_HEADERS);
  headers.set("content-type", contentTypeOf(name) as string);
  headers.set("etag", `"${size.toString(36)}-${Math.floor(modified).toString(36)}"`);
  return headers;
}

export function nothingHere(): HttpResponse {
  return textResponse(404, "There is no such file.", { "x-content-type-options": "nosniff" });
}
