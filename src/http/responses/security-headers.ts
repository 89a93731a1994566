import { Elysia } from "elysia";
import type { Platen } from "../../platen";
import { VIDEO_HOSTS } from "../../posts/content/frame-hosts";

/**
 * Where readers come by https, browsers that were here once come by nothing else for half a year: long enough for those who
 * come rarely, and not for ever where an owner has to go back. No includeSubDomains, and so no preload: other hosts of
 * the domain are none of ours, and may be served by programs without https (RFC 6797 6.1).
 */
const HTTPS_ONLY = { "strict-transport-security": `max-age=${180 * 86_400}` };

/** Of every answer that has none of its own: no other type than it says, no frames, no scripts. */
const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** What an answer gets of these that it has not; one that is kept has them already. */
export function securityHeadersOf({ config }: Platen): Record<string, string> {
  return config.url.startsWith("https:") ? { ...SECURITY_HEADERS, ...HTTPS_ONLY } : SECURITY_HEADERS;
}

/** For every route of the app that uses it, refusals included. */
export const securityHeaders = (platen: Platen) => {
  const headers = Object.entries(securityHeadersOf(platen));
  return new Elysia({ name: "security headers" }).mapResponse({ as: "global" }, ({ response }) => {
    if (!(response instanceof Response)) return;
    for (const [name, value] of headers) if (!response.headers.has(name)) response.headers.set(name, value);
  });
};

/** Whose players a post may embed. */
const FRAMES = VIDEO_HOSTS.map((host) => `https://${host}`).join(" ");

/**
 * The content security policy of readers' pages: no script at all, and nothing from elsewhere but pictures, media and
 * players that a post's author put there. @param styles further sources of styles
 */
export const pagePolicy = (styles: string) =>
  [
    "default-src 'none'",
    "img-src 'self' https: http: data:",
    "media-src 'self' https: http:",
    `style-src 'self'${styles}`,
    "manifest-src 'self'",
    // For Lighthouse, which reads robots.txt from inside the page.
    "connect-src 'self'",
    `frame-src ${FRAMES}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
