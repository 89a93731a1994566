import { Elysia } from "elysia";
import type { Platen } from "../../platen";
import { VIDEO_HOSTS } from "../../posts/post/post-limits";

/** Half a year of HTTPS only. No includeSubDomains: other hosts of the domain may lack HTTPS (RFC 6797 6.1). */
const HSTS = { "strict-transport-security": `max-age=${180 * 86_400}` };

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** Default headers for every response. A response's own values take precedence. */
export function securityHeadersOf({ config }: Platen): Record<string, string> {
  return config.url.startsWith("https:") ? { ...SECURITY_HEADERS, ...HSTS } : SECURITY_HEADERS;
}

/** Adds the headers to all responses of the app that uses it, errors included. */
export const securityHeaders = (platen: Platen) => {
  const headers = Object.entries(securityHeadersOf(platen));
  return new Elysia({ name: "security headers" }).mapResponse({ as: "global" }, ({ response }) => {
    if (!(response instanceof Response)) return;
    for (const [name, value] of headers) if (!response.headers.has(name)) response.headers.set(name, value);
  });
};

const FRAME_SOURCES = VIDEO_HOSTS.map((host) => `https://${host}`).join(" ");

/**
 * Content security policy of public pages: no scripts; from other hosts only images, media and video players.
 * @param styles further sources of styles
 */
export const pagePolicy = (styles: string) =>
  [
    "default-src 'none'",
    "img-src 'self' https: http: data:",
    "media-src 'self' https: http:",
    `style-src 'self'${styles}`,
    "font-src 'self'",
    "manifest-src 'self'",
    // Lets Lighthouse fetch robots.txt from the page.
    "connect-src 'self'",
    `frame-src ${FRAME_SOURCES}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
