import type { Html } from "../../text/html";
import { CACHE_CONTROL } from "./cache-control";
import { etagOf, type HeaderFields, type TextResponse } from "./response";
import { inlineStyleSource, pagePolicy } from "./security-headers";

export function publicPageResponse(page: Html, status = 200, headers: HeaderFields = {}): TextResponse {
  return htmlResponse(page, status, {
    "referrer-policy": "strict-origin-when-cross-origin",
    "cache-control": CACHE_CONTROL.publicNoCache,
    etag: etagOf(page.markup),
    ...headers,
  });
}

export function privatePageResponse(page: Html, status = 200, headers: HeaderFields = {}): TextResponse {
  return htmlResponse(page, status, {
    "referrer-policy": "no-referrer",
    "cache-control": CACHE_CONTROL.noStore,
    ...headers,
  });
}

function htmlResponse({ markup }: Html, status: number, headers: HeaderFields): TextResponse {
  const all = {
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-security-policy": pagePolicy(inlineStyleSource(markup)),
    ...headers,
  };
  return { status, headers: new Headers(all), body: markup };
}
