import * as Bun from "bun";
import type { Platen } from "../../platen";
import { VIDEO_HOSTS } from "../../posts/post/post";

/** Allows the `style` element in the head of public pages (W3C CSP 3, 2.3.1). */
export function inlineStyleSource(markup: string): string {
  const head = markup.slice(0, markup.indexOf("</head>"));
  const start = head.indexOf("<style>");
  if (start < 0) return "";
  const css = head.slice(start + "<style>".length, head.indexOf("</style>"));
  return ` 'sha256-${new Bun.CryptoHasher("sha256").update(css).digest("base64")}'`;
}

/** Half a year of HTTPS only. No includeSubDomains, because subdomains may lack HTTPS (RFC 6797 6.1.2). */
const HSTS = { "strict-transport-security": `max-age=${180 * 86_400}` };

const SECURITY_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "strict-origin-when-cross-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

export function securityHeadersOf({ config }: Platen): Record<string, string> {
  return config.url.startsWith("https:") ? { ...SECURITY_HEADERS, ...HSTS } : SECURITY_HEADERS;
}

const FRAME_SOURCES = VIDEO_HOSTS.map((host) => `https://${host}`).join(" ");

/** @param styles more sources for `style-src`, each after a space */
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
