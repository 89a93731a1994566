import type { Html } from "../../text/html";
import { CACHE_CONTROL, etagOf, type TextResponse } from "./response";
import { pagePolicy } from "./security-headers";

/** A public page. Caches may store the page and must revalidate it each time. */
export function publicPageResponse(
  page: Html,
  status = 200,
  headers: Record<string, string> = {},
): TextResponse {
  return htmlResponse(page, status, {
    "referrer-policy": "strict-origin-when-cross-origin",
    "cache-control": CACHE_CONTROL.publicNoCache,
    etag: etagOf(page.markup),
    ...headers,
  });
}

/** A page for one person. The page is not cached, and its URL is not sent as a referrer. */
export function privatePageResponse(
  page: Html,
  status = 200,
  headers: Record<string, string> = {},
): TextResponse {
  return htmlResponse(page, status, {
    "referrer-policy": "no-referrer",
    "cache-control": CACHE_CONTROL.noStore,
    ...headers,
  });
}

function htmlResponse({ markup }: Html, status: number, headers: Record<string, string>): TextResponse {
  const all = {
    "content-type": "text/html; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-security-policy": pagePolicy(inlineStyleSource(markup)),
    ...headers,
  };
  return { status, headers: new Headers(all), body: markup };
}

/** Allows the `style` element that our layout writes into the head (W3C CSP 3, 2.3.1). */
function inlineStyleSource(markup: string): string {
  const head = markup.slice(0, markup.indexOf("</head>"));
  const start = head.indexOf("<style>");
  if (start < 0) return "";
  const css = head.slice(start + "<style>".length, head.indexOf("</style>"));
  return ` 'sha256-${new Bun.CryptoHasher("sha256").update(css).digest("base64")}'`;
}
