import type { Html } from "../../html";
import { VIDEO_HOSTS } from "../../posts/content/sanitising";
import { etagOf, matchesEtag } from "./answer";

/** Whose players a post may embed. */
const FRAMES = VIDEO_HOSTS.map((host) => `https://${host}`).join(" ");

/** No script at all, and nothing from elsewhere but pictures, media and players that a post's author put there. */
const POLICY = [
  "default-src 'none'",
  "img-src 'self' https: http: data:",
  "media-src 'self' https: http:",
  "style-src 'self'",
  "manifest-src 'self'",
  `frame-src ${FRAMES}`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const GUARDED = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
};

/** A page for everybody: browsers keep it and ask each time whether it is still the same. */
export function sendPage(
  request: Request,
  page: Html,
  status = 200,
  more: Record<string, string> = {},
): Response {
  const etag = etagOf(page.markup);
  const headers = {
    ...GUARDED,
    "referrer-policy": "strict-origin-when-cross-origin",
    "cache-control": "public, no-cache",
    etag,
    ...more,
  };
  if (status === 200 && matchesEtag(request.headers.get("if-none-match"), etag))
    return new Response(null, { status: 304, headers });
  return new Response(page.markup, { status, headers });
}

/** A page for one person: kept nowhere, and its address is told to nobody. */
export function sendPrivatePage(page: Html, status = 200, more: Record<string, string> = {}): Response {
  const headers = { ...GUARDED, "referrer-policy": "no-referrer", "cache-control": "no-store", ...more };
  return new Response(page.markup, { status, headers });
}
