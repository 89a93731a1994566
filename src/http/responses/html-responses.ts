import type { Html } from "../../text/html";
import { CACHE_CONTROL } from "./cache-control";
import { etagOf } from "./etags";
import type { TextResponse } from "./response";
import { pagePolicy } from "./security-headers";

const HTML_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "x-content-type-options": "nosniff",
};

/** A page for everybody; browsers keep it and ask each time whether it has changed. */
export function publicPageResponse(
  page: Html,
  status = 200,
  headers: Record<string, string> = {},
): TextResponse {
  return htmlAnswer(page, status, {
    "referrer-policy": "strict-origin-when-cross-origin",
    "cache-control": CACHE_CONTROL.asking,
    etag: etagOf(page.markup),
    ...headers,
  });
}

/** A page for one person: not kept, its address not sent to others as a referrer. */
export function privatePageResponse(
  page: Html,
  status = 200,
  headers: Record<string, string> = {},
): TextResponse {
  return htmlAnswer(page, status, {
    "referrer-policy": "no-referrer",
    "cache-control": CACHE_CONTROL.nowhere,
    ...headers,
  });
}

function htmlAnswer(page: Html, status: number, headers: Record<string, string>): TextResponse {
  const own = { "content-security-policy": pagePolicy(hashOfStyle(page.markup)), ...headers };
  return { status, headers: new Headers({ ...HTML_HEADERS, ...own }), body: page.markup };
}

/** The `style` that our own layout wrote into the head, as a source that the policy allows (W3C CSP 3, 2.3.1). */
function hashOfStyle(markup: string): string {
  const head = markup.slice(0, markup.indexOf("</head>"));
  const start = head.indexOf("<style>");
  if (start < 0) return "";
  const css = head.slice(start + "<style>".length, head.indexOf("</style>"));
  return ` 'sha256-${new Bun.CryptoHasher("sha256").update(css).digest("base64")}'`;
}
